/* SPDX-License-Identifier: MIT
 *
 * Texts of one hash stand under keys that follow from it. Runs in `stint`. */
#include "merge/names.h"

#include "base/hash.h"

uint32_t names_place(struct names *names, const void *list, names_is *is, struct span name,
                     struct span unit, size_t next)
{
    uint64_t key = hash_bytes(name.data, name.length);
    if (unit.data) key ^= hash_u64(hash_bytes(unit.data, unit.length));
    uint32_t place = index_find(&names->places, key);
    while (place != INDEX_NONE && !is(list, place, name, unit)) {
        key = hash_u64(key + 1);
        place = index_find(&names->places, key);
    }
    if (place != INDEX_NONE) return place;
    (void)index_put(&names->places, key, (uint32_t)next); /* without memory: twice in the list */
    return (uint32_t)next;
}
