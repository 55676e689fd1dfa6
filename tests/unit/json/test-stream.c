/* SPDX-License-Identifier: MIT
 *
 * Commas, lines, escapes, values larger than the buffer, and the first error. */
#include "json/stream.h"

#include "json/jsonmem.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static char buffer[STREAM_BUFFER_BYTES];
static char text[4 * STREAM_BUFFER_BYTES];
static struct arena values;
static struct stream stream;
static int fd;

static int begin(void **state)
{
    fd = memfd_create("stream", MFD_CLOEXEC);
    stream_init(&stream, fd, buffer, &values);
    jsonmem_begin(&values); /* the stream drops values by releasing their arena */
    return 0;
}

static int end(void **state)
{
    jsonmem_end();
    close(fd);
    arena_fini(&values);
    return 0;
}

static const char *written(void)
{
    assert_int_equal(stream_finish(&stream), 0);
    ssize_t bytes = pread(fd, text, sizeof text - 1, 0);
    assert_true(bytes >= 0);
    text[bytes] = '\0';
    return text;
}

static void items_are_separated_and_lines_kept(void **state)
{
    stream_open(&stream, NULL, '{');
    stream_integer(&stream, "a", 1);
    stream_open_line(&stream, "b", '[');
    stream_integer(&stream, NULL, 0);
    stream_integer(&stream, NULL, UINT64_MAX);
    stream_triple(&stream, 1, 20, 300);
    stream_close(&stream, ']');
    stream_open(&stream, "c", '[');
    stream_close(&stream, ']');
    stream_close(&stream, '}');
    assert_string_equal(written(),
                        "{\n\"a\":1,\n\"b\":[0,18446744073709551615,[1,20,300]],\n\"c\":[]\n}\n");
}

static void members_of_an_object_join_those_that_are_there(void **state)
{
    stream_open_line(&stream, NULL, '{');
    stream_members(&stream, json_object());
    stream_members(&stream, json_pack("{s:i}", "a", 1));
    stream_members(&stream, json_pack("{s:i,s:n}", "b", 2, "c"));
    stream_close(&stream, '}');
    assert_string_equal(written(), "{\"a\":1,\"b\":2,\"c\":null}\n");
}

static void keys_of_entries_are_escaped(void **state)
{
    stream_open_line(&stream, NULL, '{');
    stream_open_entry(&stream, "a\"\n\x01", '{');
    stream_close(&stream, '}');
    stream_close(&stream, '}');
    assert_string_equal(written(), "{\"a\\\"\\n\\u0001\":{}}\n");
}

static void reals_have_15_digits(void **state)
{
    stream_open_line(&stream, NULL, '[');
    stream_value(&stream, NULL, json_real(0.1234567890123456));
    stream_value(&stream, NULL, json_real(1e-9));
    stream_close(&stream, ']');
    assert_string_equal(written(), "[0.123456789012346,1e-9]\n");
}

static void values_larger_than_the_buffer_come_out_whole(void **state)
{
    static char large[2 * STREAM_BUFFER_BYTES + 100];
    memset(large, 'x', sizeof large - 1);
    stream_open_line(&stream, NULL, '[');
    stream_value(&stream, NULL, json_string(large));
    stream_close(&stream, ']');
    assert_int_equal(strlen(written()), sizeof large - 1 + strlen("[\"\"]\n"));
    assert_int_equal(strspn(text + 2, "x"), sizeof large - 1);
}

static void a_value_that_could_not_be_made_is_no_memory(void **state)
{
    stream_open(&stream, NULL, '[');
    stream_value(&stream, NULL, NULL);
    stream_close(&stream, ']');
    assert_int_equal(stream_finish(&stream), -ENOMEM);
}

static void the_first_error_of_writing_stays(void **state)
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    stream_init(&stream, full, buffer, &values);
    stream_integer(&stream, NULL, 1);
    assert_int_equal(stream_finish(&stream), -ENOSPC);
    stream_value(&stream, NULL, NULL);
    assert_int_equal(stream_finish(&stream), -ENOSPC);
    close(full);
}

#define IN_STREAM(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_STREAM(items_are_separated_and_lines_kept),
        IN_STREAM(members_of_an_object_join_those_that_are_there),
        IN_STREAM(keys_of_entries_are_escaped),
        IN_STREAM(reals_have_15_digits),
        IN_STREAM(values_larger_than_the_buffer_come_out_whole),
        IN_STREAM(a_value_that_could_not_be_made_is_no_memory),
        IN_STREAM(the_first_error_of_writing_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
