/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random valid schedules, for tests of properties that hold for all of them.
 *
 * Written with jansson alone, from texts in canonical form, so that the result can be compared
 * with the input.
 */
#pragma once

#include "base/prng.h"
#include "codecs.h"
#include "random_fields.h"

static inline json_t *random_value(struct prng *prng, const char *values)
{
    struct str rest = str_of(values), value;
    uint64_t count = 1;

    for (size_t i = 0; i < rest.len; i++)
        count += rest.ptr[i] == ' ';
    for (uint64_t which = prng_below(prng, count); which > 0; which--)
        assert_true(str_cut(rest, ' ', &value, &rest));
    if (!str_cut(rest, ' ', &value, &rest))
        value = rest;
    return json_loadb(value.ptr, value.len, JSON_DECODE_ANY, NULL);
}

/* Sets a field by its path; creates the objects on the way. */
static inline void set_by_path(json_t *object, const char *path, json_t *value)
{
    struct str rest = str_of(path), name;

    while (str_cut(rest, '.', &name, &rest)) {
        json_t *inner = json_object_getn(object, name.ptr, name.len);

        if (!inner) {
            inner = json_new_object();
            assert_int_equal(json_object_setn_new(object, name.ptr, name.len, inner), 0);
        }
        object = inner;
    }
    assert_int_equal(json_object_setn_new(object, rest.ptr, rest.len, value), 0);
}

/* Each field with the same probability, which differs between documents. */
static inline void add_random_fields(struct prng *prng, json_t *object,
                                     const struct random_field *fields, size_t count)
{
    uint64_t density = prng_below(prng, 11);

    for (size_t i = 0; i < count; i++)
        if (prng_chance(prng, density, 10))
            set_by_path(object, fields[i].path, random_value(prng, fields[i].values));
}

/* The caller owns the result. */
static inline json_t *random_schedule(struct prng *prng)
{
    static const struct {
        const char *action;
        const struct random_field *fields;
        size_t count;
    } types[] = {
        {"{\"type\":\"http\",\"url\":\"https://example.com/?q\"}", random_http,
         COUNT(random_http)},
        {"{\"type\":\"exec\",\"argv\":[\"/bin/x\",\"-y\"]}", random_exec, COUNT(random_exec)},
        {"{\"type\":\"queue\",\"queue\":\"q\"}", random_queue, COUNT(random_queue)},
        {"{\"type\":\"workflow\",\"name\":\"wf\"}", random_workflow, COUNT(random_workflow)},
    };
    uint64_t type = prng_below(prng, COUNT(types));
    json_t *json = json_new_object();

    json_put(json, "action", json_of(types[type].action));
    add_random_fields(prng, json, types[type].fields, types[type].count);
    add_random_fields(prng, json, random_common, COUNT(random_common));
    return json;
}
