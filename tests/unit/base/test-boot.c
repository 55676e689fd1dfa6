/* SPDX-License-Identifier: MIT
 *
 * The boot's id is one number as long as the machine runs. */
#include "base/boot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void it_is_the_same_in_another_process(void **state)
{
    uint64_t here = boot_id();
    int status;
    assert_true(here != 0);
    pid_t child = fork();
    if (child == 0) _exit(boot_id() == here ? 0 : 1);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_same_in_another_process),
    };
    return cmocka_run_group_tests_name("base/boot", tests, NULL, NULL);
}
