/* SPDX-License-Identifier: MIT
 *
 * The public header alone, in the oldest C++ that it promises. Compiled by headers.sh, never
 * linked. */
#include <stint/stint.h>

int alone();
int alone() { return 0; }
