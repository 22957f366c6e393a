/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints lists of texts.
 */
#include "model/texts.h"

#include "model/member.h"

struct texts_reading {
    const struct texts_rule *rule;
    struct arena *arena;
    struct str *list;
};

static enum rc read_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct texts_reading *r = to;
    enum rc rc = json_take_kept(item, r->rule->bytes_max, r->arena, &r->list[i], reterr);

    return rc == RC_OK && r->rule->check ? r->rule->check(r->list[i], reterr) : rc;
}

enum rc texts_read(const json_t *value, const struct texts_rule *rule, struct arena *arena,
                   struct texts *ret, struct err *reterr)
{
    struct texts_reading r = {rule, arena, NULL};
    int count;
    enum rc rc = json_take_count(value, rule->count_max, &count, reterr);

    if (rc != RC_OK)
        return rc;
    r.list = arena_array(arena, (size_t)count, sizeof *r.list);
    rc = json_take_items(value, read_item, &r, reterr);
    if (rc == RC_OK)
        *ret = (struct texts){r.list, count};
    return rc;
}

json_t *texts_print(const struct texts *texts)
{
    json_t *list = json_new_list();

    for (int i = 0; i < texts->count; i++)
        json_add(list, json_new_str(texts->list[i]));
    return list;
}
