/* SPDX-License-Identifier: MIT
 *
 * stdio, SGR sequences, and block characters. Runs in `stint`. */
#include "print/screen.h"

#include "base/say.h"
#include "print/abbreviate.h"
#include "report/summary.h"
#include "verb/exitcode.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool wants_colour(FILE *file, enum screen_colour colour)
{
    const char *refusal = getenv("NO_COLOR"), *term = getenv("TERM");
    if (colour != SCREEN_AUTO) return colour == SCREEN_ALWAYS;
    if ((refusal && *refusal) || (term && strcmp(term, "dumb") == 0)) return false;
    return isatty(fileno(file));
}

struct screen screen_over(FILE *file, enum screen_colour colour)
{
    struct winsize size;
    struct screen screen = {.file = file, .is_coloured = wants_colour(file, colour)};
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0) screen.width = size.ws_col;
    (void)setlocale(LC_CTYPE, ""); /* a locale that is not there is "C" */
    screen.is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    return screen;
}

bool screen_parse_colour(const char *text, enum screen_colour *colour)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *colour = (enum screen_colour)i;
        return true;
    }
    return false;
}

void screen_style(const struct screen *screen, enum screen_style style)
{
    static const char *const codes[] = {
        [SCREEN_PLAIN] = "0", [SCREEN_TITLE] = "1", [SCREEN_FAINT] = "2",
        [SCREEN_HOT] = "31",  [SCREEN_MARK] = "36",
    };
    if (screen->is_coloured) fprintf(screen->file, "\033[%sm", codes[style]);
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

size_t screen_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += !is_continuation(*text);
    return width;
}

static const char *next_character(const char *text)
{
    text++;
    while (is_continuation(*text)) text++;
    return text;
}

/* C0, DEL, and C1 in UTF-8 are replaced. */
static const char *put_character(const struct screen *screen, const char *text)
{
    const char *next = next_character(text);
    unsigned char c = (unsigned char)*text;
    bool is_c1 = c == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0;
    if (c < ' ' || c == 127 || is_c1)
        fputc('?', screen->file);
    else
        fwrite(text, 1, (size_t)(next - text), screen->file);
    return next;
}

size_t screen_name(const struct screen *screen, const char *text, size_t most)
{
    char shorter[ABBREVIATE_BYTES];
    if (screen->width && most) text = abbreviate(text, most, shorter);
    size_t length = screen_width(text), head = most ? (most - 1) / 2 : 0;
    size_t cut = screen->width && most && length > most ? length - most + 1 : 0;
    size_t printed = cut ? most : length;
    for (size_t i = 0; *text; i++) {
        if (cut && i == head) fputs("…", screen->file);
        for (; cut && i == head; cut--) text = next_character(text);
        text = put_character(screen, text);
    }
    return printed;
}

void screen_text(const struct screen *screen, const char *text)
{
    while (*text) text = put_character(screen, text);
}

void screen_pad(const struct screen *screen, size_t from, size_t to)
{
    if (from < to) fprintf(screen->file, "%*s", (int)(to - from), "");
}

void screen_right(const struct screen *screen, const char *text, size_t width)
{
    screen_pad(screen, screen_width(text), width);
    fputs(text, screen->file);
}

void screen_time(const struct screen *screen, double ms, size_t width)
{
    char text[16] = "-";
    if (!isnan(ms)) summary_time(ms, text);
    screen_right(screen, text, width);
}

void screen_count(const struct screen *screen, uint64_t count, size_t width)
{
    fprintf(screen->file, "%*llu", (int)width, (unsigned long long)count);
}

void screen_percent(const struct screen *screen, double part, double whole)
{
    double share = whole > 0 && part > 0 ? part / whole * 100 : 0;
    if (share > 9999) share = 9999; /* one thread's part of another's whole */
    fprintf(screen->file, share < 99.95 ? "%4.1f %%" : "%4.0f %%", share);
}

void screen_number_text(double value, const char *unit, char text[SCREEN_NUMBER_TEXT])
{
    static const char *const decimal[] = {"", "k", "M", "G", "T", "P"};
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
    bool is_bytes = unit && (strcmp(unit, "bytes") == 0 || strcmp(unit, "B") == 0);
    double step = is_bytes ? 1024 : 1000;
    size_t power = 0;
    value += 0.0; /* no minus before 0 */
    for (; fabs(value) >= step * 0.9995 && power < 5; power++) value /= step;
    double size = fabs(value);
    int digits = power == 0 && value == floor(value) ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    const char *prefix = is_bytes ? binary[power] : decimal[power];
    if (isnan(value))
        snprintf(text, SCREEN_NUMBER_TEXT, "-");
    else if (size >= 1e6 || (size > 0 && size < 0.01))
        snprintf(text, SCREEN_NUMBER_TEXT, "%.2e", value * pow(step, (double)power));
    else
        snprintf(text, SCREEN_NUMBER_TEXT, "%.*f%s%s", digits, value, *prefix ? " " : "", prefix);
}

void screen_number(const struct screen *screen, double value, const char *unit, size_t width)
{
    char text[SCREEN_NUMBER_TEXT];
    screen_number_text(value, unit, text);
    screen_right(screen, text, width);
}

void screen_bar(const struct screen *screen, double share, size_t width)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(share > 0)) return;
    size_t units = (size_t)((share < 1 ? share : 1) * (double)width * 8 + 0.5);
    if (units == 0) units = 1; /* what is there is seen */
    for (size_t i = 0; i < units / 8; i++) fputs(screen->is_utf8 ? "█" : "#", screen->file);
    if (screen->is_utf8)
        fputs(eighths[units % 8], screen->file);
    else if (units < 8)
        fputc('.', screen->file);
}

int screen_json(const struct screen *screen, json_t *value)
{
    int status = value ? EXITCODE_OK : EXITCODE_BAD_INPUT;
    if (!value)
        say_line("not enough memory for the JSON", (char *)0);
    else if (json_dumpf(value, screen->file, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) != 0)
        status = EXITCODE_BAD_INPUT; /* main.c tells of it */
    fputc('\n', screen->file);
    json_decref(value);
    return status;
}
