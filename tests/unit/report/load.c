/* SPDX-License-Identifier: MIT
 *
 * The report goes to a memory file and comes back as a tree of jansson's. */
#include "load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

json_t *load_report(const struct builder *store, struct report_input options)
{
    struct fault fault = {0};
    assert_int_equal(view_init(&options.view, store->base, builder_used(store), &fault), 0);
    int fd = memfd_create("report", MFD_CLOEXEC);
    int error = report_write_to(&options, fd, NULL, &fault);
    if (error) fail_msg("%d: %s", error, fault.text);
    lseek(fd, 0, SEEK_SET);
    json_error_t wrong;
    json_t *report = json_loadfd(fd, JSON_REJECT_DUPLICATES, &wrong);
    if (!report) fail_msg("line %d: %s", wrong.line, wrong.text);
    close(fd);
    return report;
}

static json_t *step(json_t *json, const char *name, size_t bytes)
{
    char key[256];
    if (bytes >= sizeof key) return NULL;
    memcpy(key, name, bytes);
    key[bytes] = '\0';
    if (json_is_array(json)) return json_array_get(json, (size_t)strtoul(key, NULL, 10));
    return json_object_get(json, key);
}

static json_t *find(json_t *json, const char *path)
{
    while (json && *path) {
        size_t bytes = strcspn(path, ".");
        json = step(json, path, bytes);
        path += bytes + (path[bytes] == '.');
    }
    return json;
}

json_t *load_at(json_t *json, const char *path)
{
    json_t *found = find(json, path);
    if (!found) fail_msg("no %s", path);
    return found;
}

bool load_has(json_t *json, const char *path) { return find(json, path) != NULL; }

int64_t load_integer(json_t *json, const char *path)
{
    json_t *found = load_at(json, path);
    if (!json_is_integer(found)) fail_msg("%s is no integer", path);
    return json_integer_value(found);
}

double load_real(json_t *json, const char *path)
{
    json_t *found = load_at(json, path);
    if (!json_is_number(found)) fail_msg("%s is no number", path);
    return json_number_value(found);
}

double load_ns(json_t *json, const char *path)
{
    return (double)(int64_t)(load_real(json, path) * 1e9 + 0.5) / 1000;
}

const char *load_text(json_t *json, const char *path)
{
    json_t *found = load_at(json, path);
    if (!json_is_string(found)) fail_msg("%s is no text", path);
    return json_string_value(found);
}

json_t *load_named(json_t *array, const char *key, const char *text)
{
    size_t i;
    json_t *element;
    json_array_foreach(array, i, element)
    {
        const char *found = json_string_value(json_object_get(element, key));
        if (found && !strcmp(found, text)) return element;
    }
    fail_msg("nothing with %s \"%s\"", key, text);
    return NULL;
}
