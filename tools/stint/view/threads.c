/* SPDX-License-Identifier: MIT
 *
 * Threads: a row each, what of its life was spent on a processor and in recorded functions; and
 * the functions of some threads added up. Runs in `stint`. */
#include "view/display.h"

#include "base/say.h"
#include "stats/hist.h"
#include "verb/exitcode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct totals {
    uint64_t calls;
    double self_ms;
    const char *outermost; /* of the functions that are not the C++ library's; NULL = none */
};

static bool is_library(const char *name)
{
    if (strncmp(name, "__", 2) == 0) return true;
    const char *library = strstr(name, "std::");
    return library && (library == name || library[-1] == ' ') &&
           library < name + strcspn(name, "(<");
}

/* "libstdc++.so.6+0xd4490": std::thread's, and others without a symbol. */
static bool is_nameless(const char *start_routine)
{
    const char *plus = strrchr(start_routine, '+');
    return plus && strncmp(plus, "+0x", 3) == 0;
}

static struct totals add_up(const struct document *document, uint32_t thread)
{
    uint32_t count = 0;
    double longest_ms = 0;
    struct totals totals = {0};
    struct document_function *functions = document_thread_functions(document, thread, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (isnan(functions[i].self_ms)) continue; /* durations: no calls */
        totals.calls += functions[i].count;
        totals.self_ms += functions[i].self_ms;
        if (!(functions[i].total_ms > longest_ms) || functions[i].is_category ||
            is_library(functions[i].name))
            continue;
        longest_ms = functions[i].total_ms;
        totals.outermost = functions[i].name;
    }
    free(functions);
    return totals;
}

static void put_thread(const struct display *display, uint32_t at)
{
    const struct screen *screen = &display->screen;
    const struct document_thread *thread = &display->document->threads[at];
    struct totals totals = add_up(display->document, at);
    screen_count(screen, at, 4);
    screen_count(screen, thread->tid, 10);
    screen_time(screen, thread->lifetime_ms, 10);
    screen_time(screen, thread->cpu_ms, 10);
    screen_time(screen, totals.self_ms, 10);
    screen_count(screen, totals.calls, 13);
    fputs("  ", screen->file);
    screen_text(screen, thread->name);
    if (thread->start_routine) {
        bool is_told = totals.outermost && is_nameless(thread->start_routine);
        fputs(", ", screen->file);
        screen_name(screen, is_told ? totals.outermost : thread->start_routine,
                    screen->width > 100 ? screen->width - 76 : 24);
    }
    if (thread->generations > 1)
        fprintf(screen->file, " (the last of %llu)", (unsigned long long)thread->generations);
    fputc('\n', screen->file);
}

static json_t *thread_json(const struct display *display, uint32_t at)
{
    json_t *object = json_copy((json_t *)(uintptr_t)display->document->threads[at].json);
    struct totals totals = add_up(display->document, at);
    json_object_del(object, "functions");
    json_object_del(object, "categories");
    json_object_del(object, "call_tree");
    json_object_set_new(object, "Count", json_integer((json_int_t)totals.calls));
    json_object_set_new(object, "Self_ms", json_real(totals.self_ms));
    return object;
}

/* Marks those asked for; their number. 0 has been told. */
static uint32_t mark_threads(const struct display *display, bool **wanted)
{
    uint32_t count = display->document->thread_count;
    *wanted = calloc(count + (size_t)1, sizeof **wanted);
    if (!*wanted) return 0;
    if (display->thread) return select_threads(display->document, display->thread, *wanted);
    memset(*wanted, true, count);
    return count;
}

int display_threads(const struct display *display)
{
    const struct screen *screen = &display->screen;
    bool *wanted;
    json_t *all = json_array();
    if (!mark_threads(display, &wanted) && display->thread) {
        free(wanted);
        json_decref(all);
        return EXITCODE_USAGE;
    }
    if (!display->is_json) {
        screen_style(screen, SCREEN_TITLE);
        fprintf(screen->file, "%4s%10s%10s%10s%10s%13s  %s", "Id", "Tid", "Lifetime", "CPU", "Self",
                "Calls", "Thread");
        screen_style(screen, SCREEN_PLAIN);
        fputc('\n', screen->file);
    }
    size_t shown = 0, most = display->most_rows;
    for (uint32_t i = 0; i < display->document->thread_count; i++) {
        if (!wanted[i] || (most && ++shown > most)) continue;
        if (display->is_json)
            json_array_append_new(all, thread_json(display, i));
        else
            put_thread(display, i);
    }
    free(wanted);
    if (display->is_json) return screen_json(screen, json_pack("{s:o}", "threads", all));
    if (most && shown > most)
        fprintf(screen->file, "… and %zu more; -n 0 shows all\n", shown - most);
    json_decref(all);
    return EXITCODE_OK;
}

/* One function in several threads: what can be added is; quantiles are of all their buckets. */
struct sum {
    uint64_t counts[HIST_NS_BUCKETS];
    uint64_t ended;
    bool is_whole; /* every thread's part has a histogram */
};

static void add_buckets(struct sum *sum, const struct document_function *part)
{
    size_t buckets = document_buckets(part->statistics);
    if (part->count > part->open && !buckets) sum->is_whole = false;
    for (size_t i = 0; i < buckets; i++) {
        struct document_bucket bucket = document_bucket(part->statistics, i);
        double middle = ((double)bucket.low_ns + (double)(bucket.high_ns - 1)) / 2;
        sum->counts[hist_ns_bucket(middle)] += bucket.count;
        sum->ended += bucket.count;
    }
}

static double quantile(const struct sum *sum, const struct document_function *all, double q)
{
    static double middles[HIST_NS_BUCKETS];
    if (!sum->is_whole || !sum->ended) return (double)NAN;
    for (uint32_t i = 0; i < HIST_NS_BUCKETS && middles[HIST_NS_BUCKETS - 1] == 0; i++)
        middles[i] = hist_ns_representative(i);
    double ms = hist_quantile(sum->counts, middles, HIST_NS_BUCKETS, sum->ended, q) / 1e6;
    return ms < all->min_ms ? all->min_ms : ms > all->max_ms ? all->max_ms : ms;
}

static double sum_of(double a, double b) { return isnan(a) ? b : isnan(b) ? a : a + b; }

/* Means are weighted before anything is added: count is still a's own. A part whose calls have
 * ended and that has no mean (its sum saturated) leaves the whole without. */
static void add_part(struct document_function *to, const struct document_function *part)
{
    double n = (double)(to->count - to->open), m = (double)(part->count - part->open);
    if (!(n > 0))
        to->avg_ms = part->avg_ms;
    else if (m > 0)
        to->avg_ms = (to->avg_ms * n + part->avg_ms * m) / (n + m);
    to->count += part->count;
    to->open += part->open;
    to->total_ms = sum_of(to->total_ms, part->total_ms);
    to->self_ms = sum_of(to->self_ms, part->self_ms);
    to->min_ms = fmin(to->min_ms, part->min_ms); /* the one that is there */
    to->max_ms = fmax(to->max_ms, part->max_ms);
}

static json_t *histogram_json(const struct sum *sum)
{
    json_t *histogram = json_array();
    for (uint32_t i = 0; i < HIST_NS_BUCKETS; i++) {
        uint64_t low, high;
        if (!sum->counts[i]) continue;
        hist_ns_bounds(i, &low, &high);
        json_array_append_new(histogram, json_pack("[I,I,I]", (json_int_t)low, (json_int_t)high,
                                                   (json_int_t)sum->counts[i]));
    }
    return histogram;
}

static json_t *statistics_json(const struct document_function *all, const struct sum *sum)
{
    json_t *object = json_object();
    json_object_set_new(object, "Count", json_integer((json_int_t)all->count));
    if (all->open) json_object_set_new(object, "Open", json_integer((json_int_t)all->open));
    const struct {
        const char *key;
        double ms;
    } times[] = {
        {"Total_ms", all->total_ms}, {"Self_ms", all->self_ms}, {"Avg_ms", all->avg_ms},
        {"Min_ms", all->min_ms},     {"Max_ms", all->max_ms},   {"P50_ms", all->p50_ms},
        {"P90_ms", all->p90_ms},     {"P95_ms", all->p95_ms},   {"P99_ms", all->p99_ms},
        {"P99_9_ms", all->p99_9_ms},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (!isnan(times[i].ms)) json_object_set_new(object, times[i].key, json_real(times[i].ms));
    if (sum->is_whole && sum->ended) {
        json_object_set_new(object, "percentiles", json_string("histogram"));
        json_object_set_new(object, "histogram", histogram_json(sum));
    }
    return object;
}

/* parts: of one function, at least two. */
static struct document_function merge(const struct document_function *parts, uint32_t count,
                                      struct sum *sum, json_t *keeper)
{
    struct document_function all = parts[0];
    *sum = (struct sum){.is_whole = true};
    for (uint32_t i = 0; i < count; i++) {
        add_buckets(sum, &parts[i]);
        if (i) add_part(&all, &parts[i]);
    }
    all.p50_ms = quantile(sum, &all, 0.5);
    all.p90_ms = quantile(sum, &all, 0.9);
    all.p95_ms = quantile(sum, &all, 0.95);
    all.p99_ms = quantile(sum, &all, 0.99);
    all.p99_9_ms = quantile(sum, &all, 0.999);
    json_t *statistics = statistics_json(&all, sum);
    all.statistics = statistics;
    json_array_append_new(keeper, statistics);
    return all;
}

static int by_id(const void *a, const void *b)
{
    const struct document_function *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static uint32_t merge_all(const struct display *display, struct document_function *parts,
                          uint32_t count)
{
    struct sum *sum = malloc(sizeof *sum);
    uint32_t merged = 0;
    qsort(parts, count, sizeof *parts, by_id);
    for (uint32_t i = 0, next; sum && i < count; i = next) {
        for (next = i + 1; next < count && parts[next].id == parts[i].id;) next++;
        parts[merged++] =
            next - i == 1 ? parts[i] : merge(parts + i, next - i, sum, display->document->kept);
    }
    free(sum);
    return merged;
}

struct document_function *display_thread_functions(const struct display *display, uint32_t *count)
{
    bool *wanted;
    struct document_function *parts = NULL;
    uint32_t total = 0;
    bool is_any = mark_threads(display, &wanted) > 0;
    for (uint32_t i = 0; is_any && i < display->document->thread_count; i++) {
        uint32_t more = 0;
        if (!wanted[i]) continue;
        struct document_function *own = document_thread_functions(display->document, i, &more);
        struct document_function *all = realloc(parts, (total + (size_t)more + 1) * sizeof *parts);
        if (all && more) memcpy(all + total, own, more * sizeof *own);
        if (all) parts = all;
        if (all) total += more;
        free(own);
    }
    free(wanted);
    if (parts) *count = merge_all(display, parts, total);
    return parts;
}
