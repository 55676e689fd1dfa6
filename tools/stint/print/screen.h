/* SPDX-License-Identifier: MIT
 *
 * What views print with: cells of a table, colours and drawn characters where they can be seen.
 * Widths are in characters; what a terminal would act on is never printed. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum screen_colour { SCREEN_AUTO, SCREEN_ALWAYS, SCREEN_NEVER };
enum screen_style { SCREEN_PLAIN, SCREEN_TITLE, SCREEN_FAINT, SCREEN_HOT, SCREEN_MARK };

enum { SCREEN_TIME = 8, SCREEN_COUNT = 11, SCREEN_PERCENT = 6 }; /* widths of cells */
enum { SCREEN_NUMBER_TEXT = 40 };

struct screen {
    FILE *file;
    size_t width; /* of the terminal; 0 = none: names are whole */
    bool is_coloured, is_utf8;
};

/* A screen over a stream; the locale's character set decides what is drawn. Colours of themselves
 * on a terminal only, and not where NO_COLOR or TERM=dumb is set. */
struct screen screen_over(FILE *file, enum screen_colour colour);

/* "auto", "always" or "never"; false for other texts. */
bool screen_parse_colour(const char *text, enum screen_colour *colour);

/* From here on, until the next. */
void screen_style(const struct screen *screen, enum screen_style style);

/* Characters of a text. */
size_t screen_width(const char *text);

/* The text, on a terminal abbreviated and, where it is still too long, shortened in the middle to
 * `most` characters. Returns the characters printed. */
size_t screen_name(const struct screen *screen, const char *text, size_t most);
void screen_text(const struct screen *screen, const char *text);

void screen_pad(const struct screen *screen, size_t from, size_t to);
void screen_right(const struct screen *screen, const char *text, size_t width);
void screen_time(const struct screen *screen, double ms, size_t width); /* NaN: a dash */
void screen_count(const struct screen *screen, uint64_t count, size_t width);
void screen_percent(const struct screen *screen, double part, double whole); /* "12.3 %" */

/* Three digits and a letter for the power: by 1024 where the unit (or NULL) is bytes or B, else by
 * 1000. NaN: a dash. */
void screen_number_text(double value, const char *unit, char text[SCREEN_NUMBER_TEXT]);
void screen_number(const struct screen *screen, double value, const char *unit, size_t width);

/* A share of a full bar of that many characters, in eighths where the screen can. */
void screen_bar(const struct screen *screen, double share, size_t width);

/* The machine's form, and a newline; the value is taken. An exit status. */
int screen_json(const struct screen *screen, json_t *value);
