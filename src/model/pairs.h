/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON objects whose fields the user names: labels, header fields, environment variables.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "wire/json/json.h"

/* Names with texts, in their original order. */
struct pair {
    struct str name, value;
};

struct pairs {
    struct pair *list;
    int count;
};

struct pairs_rule {
    int count_max, name_max, value_max;
    enum rc (*check_name)(struct str s, struct err *reterr);
    enum rc (*check_value)(struct str s, struct err *reterr); /* NULL: any */
};

MUST_USE enum rc pairs_read(const json_t *value, const struct pairs_rule *rule,
                            struct arena *arena, struct pairs *ret, struct err *reterr);
json_t *pairs_print(const struct pairs *pairs);

/* As err_in(), for a key chosen by a user: a long or unusual one is left out of the path. */
void err_in_key(struct err *reterr, struct str key);
