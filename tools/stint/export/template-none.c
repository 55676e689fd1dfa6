/* SPDX-License-Identifier: MIT
 *
 * In place of the page where stint was built without npm or without the registry. */
#include "export/template.h"

const char template_page[] = "";
const size_t template_bytes = 0;
