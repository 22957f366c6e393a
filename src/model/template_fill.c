/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills in templates.  Inserted values are not parsed again, even if they look like a template.
 */
#include "base/must.h"
#include "core/time/civil.h"
#include "model/json_time.h"
#include "model/template_parts.h"

/* ---- values ---- */

void filling_end(struct filling *filling)
{
    json_decref(filling->input);
    json_decref(filling->last_result);
    json_decref(filling->last_failure);
    *filling = (struct filling){.payload = filling->payload};
}

/* Parses a text on first use.  A text that is not JSON becomes a string. */
static json_t *parse_once(json_t **tree, struct str text)
{
    if (!*tree && text.len > 0)
        *tree = json_of_kept(text);
    if (!*tree)
        *tree = json_of_text(text);
    return *tree;
}

static json_t *follow_path(json_t *value, struct str path)
{
    struct str key;
    int64_t index = 0;

    while (value && path.len > 0) {
        must(template_step(&path, &key, &index));
        value = key.len > 0 ? json_object_getn(value, key.ptr, key.len)
                            : json_array_get(value, (size_t)index);
    }
    return value ? json_incref(value) : json_null();
}

/* The caller owns the result; null if the value is missing. */
static json_t *value_of(struct filling *filling, const struct piece *piece)
{
    const struct payload *p = filling->payload;

    switch (piece->value) {
    case VALUE_SCHEDULED_TIME:
        return json_of_instant(p->run->slot);
    case VALUE_EXECUTION_TIME:
        return json_of_instant(payload_executed_at(p));
    case VALUE_SCHEDULED_MS:
        return json_new_int(floor_div(p->run->slot, SPAN_MS));
    case VALUE_EXECUTION_MS:
        return json_new_int(floor_div(payload_executed_at(p), SPAN_MS));
    case VALUE_SCHEDULE:
        return json_of_text(p->schedule);
    case VALUE_NAMESPACE:
        return json_of_text(p->namespace);
    case VALUE_RUN:
        return json_of_text(p->id);
    case VALUE_ATTEMPT:
        return json_new_int(p->run->attempt);
    case VALUE_FENCE:
        return json_new_int(p->run->fence);
    case VALUE_INPUT:
        return follow_path(parse_once(&filling->input, p->input.len > 0 ? p->input : STR("{}")),
                           piece->path);
    case VALUE_LAST_RESULT:
        return follow_path(parse_once(&filling->last_result, p->last_result), piece->path);
    case VALUE_LAST_FAILURE:
        return follow_path(parse_once(&filling->last_failure, p->last_failure), piece->path);
    case VALUE_COUNT:
        break;
    }
    return json_null();
}

/* ---- filling in ---- */

/* A text that grows in an arena up to a limit. */
struct growth {
    struct arena *arena;
    struct buf buf;
    size_t max;
};

static enum rc grow_text(struct growth *g, struct str s, struct err *reterr)
{
    size_t need = g->buf.len + s.len + 1;
    struct buf larger = {.cap = 2 * need};

    if (g->buf.len + s.len > g->max)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "has more than %zu bytes once its templates are filled in", g->max);
    if (need > g->buf.cap) {
        larger.ptr = arena_take(g->arena, larger.cap);
        buf_str(&larger, buf_as_str(&g->buf));
        g->buf = larger;
    }
    buf_str(&g->buf, s);
    return RC_OK;
}

/* RFC 3986, 2.3. */
static bool is_unreserved(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

static enum rc grow_encoded(struct growth *g, struct str s, struct err *reterr)
{
    static const char digits[] = "0123456789ABCDEF";
    enum rc rc = RC_OK;

    for (size_t i = 0; i < s.len && rc == RC_OK; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        char code[] = {'%', digits[c >> 4], digits[c & 15]};
        bool is_plain = is_unreserved(s.ptr[i]);

        rc = grow_text(g, (struct str){is_plain ? &s.ptr[i] : code, is_plain ? 1 : 3}, reterr);
    }
    return rc;
}

static enum rc grow_value(struct growth *g, const json_t *value, bool is_url,
                          struct err *reterr)
{
    struct str text = {json_string_value(value), json_string_length(value)};

    if (json_is_null(value))
        return RC_OK;
    if (!json_is_string(value) &&
        json_keep(value, TEMPLATE_BODY_MAX, g->arena, &text, reterr) != RC_OK)
        return reterr->rc;
    return is_url ? grow_encoded(g, text, reterr) : grow_text(g, text, reterr);
}

static enum rc fill_piece(struct filling *filling, const struct piece *piece, bool is_url,
                          struct growth *g, struct err *reterr)
{
    json_auto_t *value = NULL;

    if (!piece->is_value)
        return grow_text(g, piece->text, reterr);
    value = value_of(filling, piece);
    return grow_value(g, value, is_url, reterr);
}

enum rc template_fill(struct filling *filling, struct template_place place, struct str text,
                      struct arena *arena, struct str *ret, struct err *reterr)
{
    struct growth g = {.arena = arena, .max = place.max};
    struct reader r = {.text = text};
    struct piece piece;
    enum rc rc = RC_OK;

    if (!template_is_in(text)) {
        *ret = text;
        return RC_OK;
    }
    while (r.at < r.text.len && rc == RC_OK) {
        rc = template_piece(&r, &piece, reterr);
        if (rc == RC_OK)
            rc = fill_piece(filling, &piece, place.is_url, &g, reterr);
    }
    if (rc == RC_OK)
        *ret = buf_as_str(&g.buf);
    return rc;
}

/* ---- a body ---- */

struct body {
    struct filling *filling;
    struct arena *arena;
    size_t left; /* bytes that may be filled in */
};

/* Counts inserted bytes, so that the limit applies before a large tree is printed. */
static enum rc spend_bytes(struct body *body, const json_t *value, struct err *reterr)
{
    size_t size = json_length(value);

    if (size > body->left)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "has more than %d bytes once its templates are filled in",
                       TEMPLATE_BODY_MAX);
    body->left -= size;
    return RC_OK;
}

/* The caller owns *ret. */
static enum rc fill_string(struct body *body, struct str text, json_t **ret, struct err *reterr)
{
    struct reader r = {.text = text};
    struct template_place place = {.max = body->left};
    json_t *value = NULL;
    struct piece piece;
    struct str filled;
    enum rc rc = template_piece(&r, &piece, reterr);

    if (rc == RC_OK && piece.is_value && r.at == text.len) {
        value = value_of(body->filling, &piece);
    } else if (rc == RC_OK) {
        rc = template_fill(body->filling, place, text, body->arena, &filled, reterr);
        value = rc == RC_OK ? json_new_str(filled) : NULL;
    }
    if (rc == RC_OK)
        rc = spend_bytes(body, value, reterr);
    if (rc == RC_OK)
        *ret = value;
    else
        json_decref(value);
    return rc;
}

static enum rc fill_members(struct body *body, json_t *object, struct err *reterr);
static enum rc fill_items(struct body *body, json_t *list, struct err *reterr);

/*
 * *ret replaces the value and is owned by the caller; NULL: the value stays.  Recursion is as
 * deep as json_read() allows.
 */
static enum rc fill_value(struct body *body, json_t *value, json_t **ret, struct err *reterr)
{
    struct str text = {json_string_value(value), json_string_length(value)};

    *ret = NULL;
    if (json_is_object(value))
        return fill_members(body, value, reterr);
    if (json_is_array(value))
        return fill_items(body, value, reterr);
    if (!json_is_string(value) || !template_is_in(text))
        return RC_OK;
    return fill_string(body, text, ret, reterr);
}

static enum rc fill_members(struct body *body, json_t *object, struct err *reterr)
{
    json_t *filled;
    enum rc rc = RC_OK;

    for (void *i = json_object_iter(object); i && rc == RC_OK;
         i = json_object_iter_next(object, i)) {
        rc = fill_value(body, json_object_iter_value(i), &filled, reterr);
        if (rc == RC_OK && filled)
            must(json_object_iter_set_new(object, i, filled) == 0);
    }
    return rc;
}

static enum rc fill_items(struct body *body, json_t *list, struct err *reterr)
{
    json_t *filled;
    enum rc rc = RC_OK;

    for (size_t i = 0; i < json_array_size(list) && rc == RC_OK; i++) {
        rc = fill_value(body, json_array_get(list, i), &filled, reterr);
        if (rc == RC_OK && filled)
            must(json_array_set_new(list, i, filled) == 0);
    }
    return rc;
}

/* A body that is a string. */
static enum rc fill_text(struct body *body, const json_t *json, struct str *ret,
                         struct err *reterr)
{
    struct str text = {json_string_value(json), json_string_length(json)};

    return template_fill(body->filling, (struct template_place){.max = body->left},
                         arena_str(body->arena, text), body->arena, ret, reterr);
}

enum rc template_fill_body(struct filling *filling, struct str text, struct arena *arena,
                           struct template_body *ret, struct err *reterr)
{
    struct body body = {filling, arena, TEMPLATE_BODY_MAX};
    struct template_body filled = {text, text.len > 0 && text.ptr[0] == '"'};
    json_auto_t *json = NULL;
    json_t *other;
    enum rc rc;

    if (filled.is_text || template_is_in(text)) {
        json = json_of_kept(text);
        must(json != NULL);
        rc = filled.is_text ? fill_text(&body, json, &filled.bytes, reterr)
                            : fill_value(&body, json, &other, reterr);
        if (rc == RC_OK && !filled.is_text)
            rc = json_keep(json, 2 * TEMPLATE_BODY_MAX, arena, &filled.bytes, reterr);
        if (rc != RC_OK)
            return rc;
    }
    *ret = filled;
    return RC_OK;
}
