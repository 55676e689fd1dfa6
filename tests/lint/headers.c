/* SPDX-License-Identifier: MIT
 *
 * The public header alone, in the oldest C that it promises. Compiled by headers.sh, never linked.
 */
#include <stint/stint.h>

int alone(void);
int alone(void) { return 0; }
