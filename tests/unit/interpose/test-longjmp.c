/* SPDX-License-Identifier: MIT
 *
 * Where a jump lands, read out of libc's buffer, against the stack pointer itself. */
#include "base/compiler.h"
#include "base/stack_hot.h"
#include "hook/slow.h"
#include "interpose/jump.h"

#include <alloca.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uintptr_t told;

/* In the hooks' place. */
void slow_jump(uintptr_t landing) { told = landing; }

/* The frame's own hooks stand up to a return address below its stack pointer, those of what it
 * calls at least sixteen bytes. */
static void assert_lands(uintptr_t sp)
{
    assert_true(told <= sp - sizeof(void *));
    assert_true(told > sp - 16);
}

static NOINLINE void from_a_frame_of(size_t bytes, void *(*jump)(struct __jmp_buf_tag *))
{
    sigjmp_buf here;
    char *room = alloca(bytes);
    memset(room, 0, bytes);
    told = 0;
    if (bytes % 2)
        (void)sigsetjmp(here, 1);
    else
        (void)_setjmp(here);
    uintptr_t sp = stack_address_anew();
    assert_non_null(jump(here));
    assert_lands(sp);
}

static void a_jump_lands_where_its_buffer_was_filled(void **state)
{
    for (size_t bytes = 1; bytes < 3000; bytes += 77) {
        from_a_frame_of(bytes, jump_longjmp);
        from_a_frame_of(bytes, jump__longjmp);
        from_a_frame_of(bytes, jump_siglongjmp);
        from_a_frame_of(bytes, jump___longjmp_chk);
    }
}

static void it_goes_to_the_next_function_of_its_name(void **state)
{
    jmp_buf here;
    (void)_setjmp(here);
    assert_ptr_equal(jump_longjmp(here), dlsym(RTLD_NEXT, "longjmp"));
    assert_ptr_equal(jump__longjmp(here), dlsym(RTLD_NEXT, "_longjmp"));
    assert_ptr_equal(jump_siglongjmp(here), dlsym(RTLD_NEXT, "siglongjmp"));
    assert_ptr_equal(jump___longjmp_chk(here), dlsym(RTLD_NEXT, "__longjmp_chk"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_lands_where_its_buffer_was_filled),
        cmocka_unit_test(it_goes_to_the_next_function_of_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
