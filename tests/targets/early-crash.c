/* SPDX-License-Identifier: MIT
 *
 * A crash in a constructor, before main. */
#include "truth.h"

__attribute__((constructor)) static void crashes(void)
{
    CALLED(crashes);
    truth_tell();
    *(volatile int *)NULL = 1;
}

int main(void) { return 0; }
