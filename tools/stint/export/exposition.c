/* SPDX-License-Identifier: MIT
 *
 * Escapes and order of an exposition. Runs in `stint`. */
#include "export/exposition.h"

#include "export/text.h"

/* Only these three are escaped. */
static void write_label(FILE *out, const char *name, const char *value)
{
    fprintf(out, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '\n')
            fputs("\\n", out);
        else if (*value == '"' || *value == '\\')
            fprintf(out, "\\%c", *value);
        else
            putc(*value, out);
    }
    putc('"', out);
}

void exposition_declare(const struct exposition *to, const char *name, const char *type,
                        const char *unit, const char *help)
{
    fprintf(to->out, "# TYPE %s %s\n", name, type);
    if (*unit) fprintf(to->out, "# UNIT %s %s\n", name, unit);
    fprintf(to->out, "# HELP %s %s\n", name, help);
}

void exposition_begin(const struct exposition *to, const char *name, const char *suffix)
{
    fprintf(to->out, "%s%s{", name, suffix);
    write_label(to->out, "program", export_program(to->job->document));
}

void exposition_label(const struct exposition *to, const char *name, const char *value)
{
    putc(',', to->out);
    write_label(to->out, name, value);
}

void exposition_end(const struct exposition *to, double value)
{
    fputs("} ", to->out);
    text_real(to->out, value);
    putc('\n', to->out);
}
