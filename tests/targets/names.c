/* SPDX-License-Identifier: MIT
 *
 * Functions with names that a JSON writer or a demangler could stumble over, given in its
 * object file by names.sh. */
#include "truth.h"

#define NAMED(function) NOINLINE void function(void)

NAMED(quoted);
NAMED(controls);
NAMED(not_utf8);
NAMED(rust_legacy);
NAMED(rust_v0);
NAMED(cpp);
NAMED(clone_part);
NAMED(clone_const);
NAMED(very_long);

static volatile int sink;
void quoted(void) { sink++; }
void controls(void) { sink++; }
void not_utf8(void) { sink++; }
void rust_legacy(void) { sink++; }
void rust_v0(void) { sink++; }
void cpp(void) { sink++; }
void clone_part(void) { sink++; }
void clone_const(void) { sink++; }
void very_long(void) { sink++; }

int main(void)
{
    CALLED(main);
    quoted();
    controls(), controls();
    not_utf8();
    rust_legacy();
    rust_v0();
    cpp();
    clone_part();
    clone_const();
    very_long();
    truth_tell();
    return 0;
}
