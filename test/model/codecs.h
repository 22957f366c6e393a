/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the codecs: an arena, JSON from text and back, and tables of invalid input.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "wire/json/json.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { TEXT_MAX = 4 << 20, ARENA_MAX = 256 << 20 };

static struct arena *arena;
static char text_a[TEXT_MAX];

static inline int begin(void **state)
{
    (void)state;
    arena = arena_new(ARENA_MAX);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

/* The caller owns the result. */
static inline json_t *json_of(const char *text)
{
    json_t *json = NULL;
    struct err err = {0};

    if (json_read(str_of(text), &json, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return json;
}

/* Takes over the reference to `json`. */
static inline const char *line_of(json_t *json, char *text)
{
    struct buf out = {text, 0, TEXT_MAX, false};

    json_print(json, JSON_STYLE_LINE, &out);
    assert_false(out.cut);
    json_decref(json);
    return text;
}

static inline void assert_str(struct str s, const char *text)
{
    if (!str_eq(s, str_of(text)))
        fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(s), text);
}

struct wrong {
    const char *text, *field, *says;
    enum rc rc; /* 0: RC_INVALID */
};

typedef enum rc read_fn(const json_t *json, struct err *reterr);

static inline void check_wrong(read_fn *read, const struct wrong *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_auto_t *json = json_of(cases[i].text);
        enum rc expected = cases[i].rc == RC_OK ? RC_INVALID : cases[i].rc;
        struct err err = {0};
        enum rc rc = read(json, &err);

        if (rc != expected || err.rc != rc || strcmp(err.field, cases[i].field) != 0 ||
            !strstr(err.text, cases[i].says))
            fail_msg("%.500s: rc %d, %s: %s", cases[i].text, rc, err.field, err.text);
    }
}

/* A text of `count` letters between `before` and `after`. */
static inline const char *lengthy(const char *before, int count, const char *after)
{
    struct buf out = {text_a, 0, TEXT_MAX, false};

    buf_text(&out, before);
    for (int i = 0; i < count; i++)
        buf_char(&out, 'x');
    buf_text(&out, after);
    assert_false(out.cut);
    return text_a;
}

/* `count` copies of `item`, with its number for the #, separated by commas. */
static inline const char *many(const char *before, const char *item, int count,
                               const char *after)
{
    struct buf out = {text_a, 0, TEXT_MAX, false};
    struct str head, tail;

    assert_true(str_cut(str_of(item), '#', &head, &tail));
    buf_text(&out, before);
    for (int i = 0; i < count; i++)
        buf_printf(&out, "%s%.*s%d%.*s", i == 0 ? "" : ",", STR_ARG(head), i, STR_ARG(tail));
    buf_text(&out, after);
    assert_false(out.cut);
    return text_a;
}
