/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a text with templates, and as a body.
 *
 * A text that the check accepts can be filled in, and a refused one cannot; a text without a
 * `$` is filled in unchanged; a URL gets only characters that RFC 3986 leaves unescaped;
 * limits hold.
 */
#include <stdint.h>

#include "base/must.h"
#include "model/template.h"

enum { ARENA_MAX = 512 << 20, FILLED_MAX = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static const struct run run = {.slot = INT64_C(1798761600000000), .attempt = 1, .fence = 2};

static const struct payload payload = {
    .run = &run,
    .id = {"r_1", 3},
    .schedule = {"a b", 3},
    .namespace = {"n", 1},
    .input = {"{\"a\":{\"b\":[1,\"${run}\"]}}", 24},
    .last_failure = {"it broke", 8},
};

/* A character is from the text itself, or RFC 3986 leaves it unescaped, or it is an escape. */
static void check_url(struct str text, struct str filled)
{
    for (size_t i = 0; i < filled.len; i++)
        must(memchr(text.ptr, filled.ptr[i], text.len) || char_is_alpha(filled.ptr[i]) ||
             char_is_digit(filled.ptr[i]) || memchr("-._~%", filled.ptr[i], 5));
}

static void check_text(struct str text, struct arena *arena)
{
    struct filling filling = {.payload = &payload};
    struct template_place place = {.max = FILLED_MAX};
    struct str filled = {0};
    struct err err;
    enum rc checked = template_check(text, &err), rc;

    must(checked == RC_OK || (err.at >= 0 && (size_t)err.at <= text.len));
    rc = template_fill(&filling, place, text, arena, &filled, &err);
    must(checked == RC_OK ? rc == RC_OK || rc == RC_LIMIT : rc != RC_OK);
    must(rc != RC_OK || filled.len <= FILLED_MAX || filled.ptr == text.ptr);
    if (text.len > 0 && !memchr(text.ptr, '$', text.len))
        must(rc == RC_OK && str_eq(filled, text));
    place.is_url = true;
    if (text.len > 0 && template_fill(&filling, place, text, arena, &filled, &err) == RC_OK)
        check_url(text, filled);
    filling_end(&filling);
}

static void check_body(struct str text, struct arena *arena)
{
    struct filling filling = {.payload = &payload};
    struct template_body body;
    json_t *json, *again;
    struct str kept;
    struct err err;

    if (json_read(text, &json, &err) != RC_OK)
        return;
    must(json_keep(json, SIZE_MAX, arena, &kept, &err) == RC_OK);
    if (template_fill_body(&filling, kept, arena, &body, &err) == RC_OK) {
        must(body.is_text == json_is_string(json));
        again = body.is_text ? NULL : json_of_kept(body.bytes);
        must(body.is_text || again);
        json_decref(again);
    }
    filling_end(&filling);
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};
    struct arena *arena = arena_new(ARENA_MAX);

    check_text(text, arena);
    check_body(text, arena);
    arena_free(arena);
    return 0;
}
