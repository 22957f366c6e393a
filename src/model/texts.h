/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of texts: JSON arrays of strings.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "wire/json/json.h"

struct texts {
    struct str *list;
    int count;
};

struct texts_rule {
    int count_max, bytes_max;                           /* bytes of each */
    enum rc (*check)(struct str s, struct err *reterr); /* NULL: any */
};

/* The texts are copied into `arena`. */
MUST_USE enum rc texts_read(const json_t *value, const struct texts_rule *rule,
                            struct arena *arena, struct texts *ret, struct err *reterr);
json_t *texts_print(const struct texts *texts);
