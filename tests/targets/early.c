/* SPDX-License-Identifier: MIT
 *
 * A program over early-library.c. */
#include "truth.h"

PLAIN void early_tell(void);

int main(void)
{
    CALLED(main);
    early_tell();
    truth_tell();
    return 0;
}
