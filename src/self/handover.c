/* SPDX-License-Identifier: MIT
 *
 * environment → plan (how much space) → new environment in the caller's space: a child of vfork
 * must neither allocate nor change what it shares.  */
#include "self/handover.h"

#include "base/fmt.h"
#include "self/outname.h"

#include <string.h>

#define PRELOAD "LD_PRELOAD="
#define OUT "STINT_OUT="
#define ROOT "STINT_ROOT="

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static const char *last_part(const char *path, size_t *bytes)
{
    const char *slash = memrchr(path, '/', *bytes);
    if (!slash) return path;
    *bytes -= (size_t)(slash + 1 - path);
    return slash + 1;
}

/* An entry is ours by its file's name. The loader separates by blanks and colons. */
static bool find_own(struct handover *plan)
{
    size_t own_bytes = strlen(plan->self->library);
    const char *own = last_part(plan->self->library, &own_bytes);
    const char *at = plan->preload + strlen(PRELOAD);
    while (*at) {
        size_t bytes = strcspn(at, " :"), name_bytes = bytes;
        const char *name = last_part(at, &name_bytes);
        if (own_bytes && name_bytes == own_bytes && memcmp(name, own, own_bytes) == 0) {
            /* A bare name is searched for, and found from anywhere; and a path that the loader
             * would take apart can't be said to it. */
            bool is_relative = at[0] != '/' && name != at;
            plan->own_preload = at;
            plan->own_bytes = is_relative && !strpbrk(plan->self->library, " :") ? bytes : 0;
            return true;
        }
        at += bytes + (at[bytes] != '\0');
    }
    return false;
}

bool handover_plan(struct handover *plan, const struct handover_self *self,
                   char *const *environment)
{
    *plan = (struct handover){.self = self, .environment = environment};
    if (!environment || !*environment) return false;
    for (char *const *entry = environment; *entry; entry++, plan->entries++) {
        if (!plan->preload && starts_with(*entry, PRELOAD)) plan->preload = *entry;
        if (!plan->out && starts_with(*entry, OUT)) plan->out = *entry;
    }
    if (!plan->preload || !find_own(plan)) return false;
    size_t preload = plan->own_bytes ? strlen(plan->preload) + strlen(plan->self->library) + 1 : 0;
    size_t wish = strlen(plan->out ? plan->out + strlen(OUT) : plan->self->out);
    size_t out = strlen(OUT) + 2 * strlen(plan->self->directory) + 1 + wish + 1;
    size_t root = strlen(ROOT) + strlen(plan->self->run) + 1;
    plan->bytes = (plan->entries + 3) * sizeof(char *) + preload + out + root;
    return true;
}

/* Takes the next piece of the space. */
static char *take(char **space, const struct fmt *text)
{
    char *taken = *space;
    *space += text->length + 1;
    return taken;
}

static char *build_preload(const struct handover *plan, char **space, const char *end)
{
    struct fmt text = fmt_over(*space, (size_t)(end - *space));
    fmt_bytes(&text, plan->preload, (size_t)(plan->own_preload - plan->preload));
    fmt_text(&text, plan->self->library);
    fmt_text(&text, plan->own_preload + plan->own_bytes);
    return take(space, &text);
}

static char *build_out(const struct handover *plan, char **space, const char *end)
{
    struct fmt text = fmt_over(*space, (size_t)(end - *space));
    fmt_text(&text, OUT);
    const char *wish = plan->out ? plan->out + strlen(OUT) : plan->self->out;
    (void)outname_absolute(wish, plan->self->directory, *space + text.length,
                           (size_t)(end - *space) - text.length);
    text.length += strlen(*space + text.length);
    return take(space, &text);
}

static char *build_root(const struct handover *plan, char **space, const char *end)
{
    struct fmt text = fmt_over(*space, (size_t)(end - *space));
    fmt_text(&text, ROOT);
    fmt_text(&text, plan->self->run);
    return take(space, &text);
}

char *const *handover_build(const struct handover *plan, void *space)
{
    char **entries = space, **to = entries;
    char *texts = (char *)(entries + plan->entries + 3);
    const char *end = (char *)space + plan->bytes;
    bool has_out = plan->out && (plan->out[strlen(OUT)] == '/' || !plan->out[strlen(OUT)]);
    for (size_t i = 0; i < plan->entries; i++) {
        char *entry = plan->environment[i];
        if (starts_with(entry, ROOT) || (entry == plan->out && !has_out)) continue;
        if (entry == plan->preload && plan->own_bytes) entry = build_preload(plan, &texts, end);
        *to++ = entry;
    }
    if (!has_out) *to++ = build_out(plan, &texts, end);
    *to++ = build_root(plan, &texts, end);
    *to = NULL;
    return entries;
}
