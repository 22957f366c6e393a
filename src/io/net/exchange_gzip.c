/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compression of answers.
 */
#include "io/net/exchange_gzip.h"

#include "base/must.h"
#include "io/net/listener_parts.h"

static bool ends_with(struct str s, struct str end)
{
    return s.len >= end.len && str_eq_nocase(str_from(s, s.len - end.len), end);
}

/* Text and text-based formats.  Not events: each must be readable immediately. */
static bool is_text(struct str type)
{
    static const struct str whole[] = {{"application/json", 16},
                                       {"application/yaml", 16},
                                       {"application/javascript", 22},
                                       {"image/svg+xml", 13}};
    struct str rest;

    str_cut(type, ';', &type, &rest);
    type = str_trim(type);
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (str_eq_nocase(type, whole[i]))
            return true;
    if (str_eq_nocase(type, STR("text/event-stream")))
        return false;
    return (type.len > 5 && str_eq_nocase((struct str){type.ptr, 5}, STR("text/"))) ||
           ends_with(type, STR("+json"));
}

/*
 * Whether a body with these fields may be sent in two forms.  A strong ETag promises identical
 * bytes, and clients send it back.
 */
static bool is_compressible(const struct http1_answer *answer)
{
    struct str type = {NULL, 0};

    if (answer->framing == HTTP1_SIZED &&
        (answer->length < EXCHANGE_GZIP_LEAST || answer->length > EXCHANGE_GZIP_MAX))
        return false;
    for (int i = 0; i < answer->field_count; i++) {
        const struct http1_field *field = &answer->fields[i];

        if (str_eq_nocase(field->name, STR("Content-Encoding")) ||
            str_eq_nocase(field->name, STR("Vary")))
            return false; /* the owner chose the form */
        if (str_eq_nocase(field->name, STR("ETag")) && !str_starts(field->value, STR("W/")))
            return false;
        if (str_eq_nocase(field->name, STR("Content-Type")))
            type = field->value;
    }
    return is_text(type);
}

bool exchange_offers_gzip(struct exchange *x, struct http1_answer *answer)
{
    struct http1_field *room = x->listener->fields;

    must(answer->field_count <= EXCHANGE_FIELDS_MAX);
    if (!is_compressible(answer))
        return false;
    for (int i = 0; i < answer->field_count; i++)
        room[i] = answer->fields[i];
    room[answer->field_count++] = (struct http1_field){STR("Vary"), STR("Accept-Encoding")};
    answer->fields = room;
    return http1_accepts_gzip(x->request);
}

void exchange_mark_gzip(struct exchange *x, struct http1_answer *answer)
{
    x->listener->fields[answer->field_count++] = (struct http1_field){STR("Content-Encoding"),
                                                                      STR("gzip")};
}

bool exchange_compress(struct exchange *x, struct str *body)
{
    struct listener *listener = x->listener;
    size_t room = body->len < sizeof listener->gzipped ? body->len : sizeof listener->gzipped;
    struct buf out = {.ptr = listener->gzipped, .cap = room};

    if (!listener->gzip)
        listener->gzip = gzip_new(GZIP_LARGE);
    if (!gzip_add(listener->gzip, *body, true, &out))
        return false;
    *body = buf_as_str(&out);
    return true;
}
