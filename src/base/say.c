/* SPDX-License-Identifier: MIT
 *
 * A line is put together in a buffer and written at once, raw, with all signals blocked so that a
 * SIGPIPE of a closed stderr can be taken back. Runs anywhere. */
#include "base/say.h"

#include "base/file.h"
#include "base/fmt.h"
#include "base/sys.h"

#include <stdarg.h>
#include <stdbool.h>

/* A line stays one line and drives no terminal, whatever is in a file's name: C0, DEL, and C1 in
 * UTF-8 are replaced. */
static void add(struct fmt *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        bool is_c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
        fmt_char(out, *c < ' ' || *c == 127 || is_c1 ? '?' : (char)*c);
        c += is_c1;
    }
}

void say_line(const char *text, ...)
{
    char line[1024];
    /* One byte is kept for the newline of a line that is cut. */
    struct fmt out = fmt_over(line, sizeof line - 1);
    va_list texts;
    va_start(texts, text);
    fmt_text(&out, "stint: ");
    for (const char *part = text; part; part = va_arg(texts, const char *)) add(&out, part);
    va_end(texts);
    line[out.length] = '\n';
    struct file_guard guard;
    file_guard(&guard);
    (void)sys_call3(SYS_write, 2, line, out.length + 1); /* nobody is left to be told */
    file_unguard(&guard);
}
