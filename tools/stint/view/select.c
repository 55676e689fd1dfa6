/* SPDX-License-Identifier: MIT
 *
 * fnmatch over names; the first kind of match that finds anything wins. Runs in `stint`. */
#include "view/select.h"

#include "base/num.h"
#include "base/say.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { NEAR_NAMES = 3 };

static bool fits(const char *glob, const char *text) { return text && fnmatch(glob, text, 0) == 0; }

bool select_wants(const struct select_wish *wish, const struct document_function *function)
{
    bool is_wanted = wish->name_count == 0;
    for (size_t i = 0; !is_wanted && i < wish->name_count; i++)
        is_wanted = fits(wish->names[i], function->name);
    if (!is_wanted || !wish->module) return is_wanted;
    return fits(wish->module, function->module) ||
           fits(wish->module, document_base_name(function->module));
}

typedef bool fit(const struct document_function *function, const char *word);

static bool fits_exactly(const struct document_function *function, const char *word)
{
    return strcmp(function->name, word) == 0 ||
           (function->raw_name && strcmp(function->raw_name, word) == 0);
}

/* "World::update(float)" begins so; operator() has brackets of its own. */
static bool fits_without_parameters(const struct document_function *function, const char *word)
{
    size_t length = strlen(word);
    return length && strncmp(function->name, word, length) == 0 && function->name[length] == '(';
}

static bool fits_as_glob(const struct document_function *function, const char *word)
{
    return fits(word, function->name);
}

static uint32_t find(const struct document *document, const char *word, fit *fits_it, uint32_t *ids)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < document->function_count; i++)
        if (fits_it(&document->functions[i], word)) ids[count++] = i;
    return count;
}

static void tell_near(const struct document *document, const char *word)
{
    char near[400] = "";
    size_t used = 0, found = 0;
    for (uint32_t i = 0; i < document->function_count && found < NEAR_NAMES; i++) {
        const char *name = document->functions[i].name;
        if (!*word || !strcasestr(name, word) || strlen(name) > 100) continue;
        used += (size_t)snprintf(near + used, sizeof near - used, "%s%s", found ? ", " : "", name);
        found++;
    }
    say_line(document->path, ": no function or category is called ", word,
             found ? "; there is " : "", near, found ? "" : "; names may be globs: 'World::*'",
             (char *)0);
}

uint32_t select_find_functions(const struct document *document, const char *word, uint32_t *ids)
{
    uint32_t count = find(document, word, fits_exactly, ids);
    if (!count) count = find(document, word, fits_without_parameters, ids);
    if (!count) count = find(document, word, fits_as_glob, ids);
    return count;
}

uint32_t select_functions(const struct document *document, const char *word, uint32_t *ids)
{
    uint32_t count = select_find_functions(document, word, ids);
    if (!count) tell_near(document, word);
    return count;
}

uint32_t select_threads(const struct document *document, const char *word, bool *wanted)
{
    uint64_t number = 0;
    uint32_t count = 0;
    bool is_number = num_parse_u64(word, &number) == 0;
    for (uint32_t i = 0; is_number && i < document->thread_count; i++)
        if (document->threads[i].tid == number) count += wanted[i] = true;
    if (count) return count;
    if (is_number && number < document->thread_count) return wanted[number] = true;
    for (uint32_t i = 0; i < document->thread_count; i++)
        if (fits(word, document->threads[i].name)) count += wanted[i] = true;
    if (!count)
        say_line(document->path, ": no thread is called ", word, "; see `stint report --threads`",
                 (char *)0);
    return count;
}
