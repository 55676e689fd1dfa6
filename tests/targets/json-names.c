/* SPDX-License-Identifier: MIT
 *
 * Exports names of jansson and libunwind as json-c and others do: nobody but the program may call
 * them. */
#include "truth.h"

#define TRAP(name)                                                                                 \
    void name(void);                                                                               \
    void name(void)                                                                                \
    {                                                                                              \
        static const char text[] = #name " was called\n";                                          \
        if (write(2, text, sizeof text - 1)) _exit(66);                                            \
    }

TRAP(json_object)
TRAP(json_object_get)
TRAP(json_object_iter_next)
TRAP(json_object_set_new)
TRAP(json_array)
TRAP(json_string)
TRAP(json_integer)
TRAP(json_real)
TRAP(json_dumps)
TRAP(json_dump_callback)
TRAP(json_delete)
TRAP(json_set_alloc_funcs)
TRAP(json_object_seed)
TRAP(_Ux86_64_step)
TRAP(_ULx86_64_step)
TRAP(_ULx86_64_init_local)

int main(int argc, char **argv)
{
    CALLED(main);
    truth_tell();
    if (argc > 1) *(volatile int *)NULL = 1;
    return 0;
}
