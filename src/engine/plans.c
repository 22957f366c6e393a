/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/plans.h"

#include <string.h>

#include "base/map.h"

enum { TEXT_MAX = 988 }; /* bytes of plan, action and name; with the numbers a kilobyte */

struct kept {
    int64_t schedule, version, namespace;
    uint32_t packed, action, name; /* lengths; the texts follow each other */
    char text[TEXT_MAX];
};

struct plans {
    struct map *map; /* schedule to index */
    struct kept *kept;
    int count, used;
    int next; /* the oldest: they are replaced in the order in which they came */
};

struct plans *plans_new(struct arena *arena, int count)
{
    struct plans *plans = arena_take(arena, sizeof(*plans));

    plans->map = map_new((size_t)count);
    plans->kept = arena_array(arena, (size_t)count, sizeof(*plans->kept));
    plans->count = count;
    return plans;
}

void plans_free(struct plans *plans)
{
    map_free(plans->map);
}

bool plans_has(const struct plans *plans, int64_t schedule)
{
    return map_find(plans->map, schedule) != MAP_NONE;
}

bool plans_find(const struct plans *plans, int64_t schedule, int64_t version,
                struct plan_text *ret)
{
    int32_t index = map_find(plans->map, schedule);
    const struct kept *kept;

    if (index == MAP_NONE || plans->kept[index].version != version)
        return false;
    kept = &plans->kept[index];
    *ret = (struct plan_text){
        .namespace = kept->namespace,
        .packed = {kept->text, kept->packed},
        .action = {kept->text + kept->packed, kept->action},
        .name = {kept->text + kept->packed + kept->action, kept->name},
    };
    return true;
}

/* Returns where the next one goes. */
static char *put(char *to, struct str text)
{
    if (text.len > 0)
        memcpy(to, text.ptr, text.len);
    return to + text.len;
}

void plans_put(struct plans *plans, int64_t schedule, int64_t version,
               const struct plan_text *text)
{
    int32_t index = map_find(plans->map, schedule);
    struct kept *kept;
    char *to;

    if (text->packed.len + text->action.len + text->name.len > TEXT_MAX)
        return; /* an older version that stays is never asked for again */
    if (index == MAP_NONE) {
        index = plans->next;
        plans->next = (plans->next + 1) % plans->count;
        if (plans->used < plans->count)
            plans->used++;
        else
            map_remove(plans->map, plans->kept[index].schedule);
        map_put(plans->map, schedule, index);
    }
    kept = &plans->kept[index];
    kept->schedule = schedule;
    kept->version = version;
    kept->namespace = text->namespace;
    kept->packed = (uint32_t)text->packed.len;
    kept->action = (uint32_t)text->action.len;
    kept->name = (uint32_t)text->name.len;
    to = put(kept->text, text->packed);
    to = put(to, text->action);
    put(to, text->name);
}
