/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints objects of texts; see model/pairs.h.
 */
#include "model/pairs.h"

#include "base/must.h"
#include "model/member.h"

enum { PATH_NAME_MAX = 32 }; /* bytes of a user's key that an error path shows */

/* Leaves out keys beyond printable ASCII: a path must not be cut within a character. */
void err_in_key(struct err *reterr, struct str key)
{
    for (size_t i = 0; i < key.len; i++)
        if (key.ptr[i] <= ' ' || key.ptr[i] > '~' || i >= PATH_NAME_MAX)
            return;
    if (key.len > 0)
        err_in(reterr, "%.*s", STR_ARG(key));
}

static enum rc read_pair(struct str key, const json_t *value, const struct pairs_rule *rule,
                         struct arena *arena, struct pair *ret, struct err *reterr)
{
    enum rc rc;

    if (key.len > (size_t)rule->name_max)
        return err_set(reterr, RC_LIMIT, -1, 0, "a name has %zu bytes; the limit is %d",
                       key.len, rule->name_max);
    rc = rule->check_name(key, reterr);
    if (rc == RC_OK)
        rc = json_take_kept(value, rule->value_max, arena, &ret->value, reterr);
    if (rc == RC_OK && rule->check_value)
        rc = rule->check_value(ret->value, reterr);
    if (rc == RC_OK)
        ret->name = arena_str(arena, key);
    return rc;
}

enum rc pairs_read(const json_t *value, const struct pairs_rule *rule, struct arena *arena,
                   struct pairs *ret, struct err *reterr)
{
    json_t *object = (json_t *)(uintptr_t)value; /* the iterators do not change it */
    size_t count = json_object_size(value);
    struct pairs pairs = {0};

    if (!json_is_object(value))
        return json_wrong_type(value, "an object of strings", reterr);
    if (count > (size_t)rule->count_max)
        return err_set(reterr, RC_LIMIT, -1, 0, "has %zu entries; the limit is %d", count,
                       rule->count_max);
    pairs.list = arena_array(arena, count, sizeof *pairs.list);
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        struct str key = {json_object_iter_key(i), json_object_iter_key_len(i)};
        enum rc rc = read_pair(key, json_object_iter_value(i), rule, arena,
                               &pairs.list[pairs.count++], reterr);

        if (rc != RC_OK) {
            err_in_key(reterr, key);
            return rc;
        }
    }
    *ret = pairs;
    return RC_OK;
}

json_t *pairs_print(const struct pairs *pairs)
{
    json_t *object = json_new_object();

    for (int i = 0; i < pairs->count; i++)
        must(json_object_setn_new(object, pairs->list[i].name.ptr, pairs->list[i].name.len,
                                  json_new_str(pairs->list[i].value)) == 0);
    return object;
}
