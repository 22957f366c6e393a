/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides about each header field: RFC 9110, 7.6.1 names those that concern one connection.
 */
#include "server/forward/forward_fields.h"

#include "base/must.h"

/* In lower case. */
static const struct str hop_fields[] = {
    {"connection", 10},
    {"content-length", 14},
    {"host", 4},
    {"keep-alive", 10},
    {"expect", 6},
    {"proxy-connection", 16},
    {"te", 2},
    {"trailer", 7},
    {"upgrade", 7},
    {"transfer-encoding", 17},
    {"http2-settings", 14},
};

/* By these a client could ask some servers for another path or method than the checked one. */
static const struct str override_fields[] = {
    {"x-http-method-override", 22}, {"x-http-method", 13}, {"x-method-override", 17},
    {"x-original-url", 14},         {"x-rewrite-url", 13},
};

/* By these a client proves who it is to Belfry, or tells a Temporal more about itself. */
static const struct str credential_fields[] = {
    {"authorization", 13},   {"authorization-extras", 20},
    {"x-authorization", 15}, {"proxy-authorization", 19},
    {"cookie", 6},
};

static bool is_among(struct str name, const struct str *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(name, list[i]))
            return true;
    return false;
}

#define IS_AMONG(name, list) is_among(name, list, sizeof(list) / sizeof((list)[0]))

static bool is_replaced(struct str name, const struct pairs *headers)
{
    for (int i = 0; i < headers->count; i++)
        if (str_eq_nocase(name, headers->list[i].name))
            return true;
    return false;
}

static struct str lower_case(struct str name, struct arena *arena)
{
    struct str copy = arena_str(arena, name);
    char *text = (char *)(uintptr_t)copy.ptr;

    for (size_t i = 0; i < copy.len; i++)
        text[i] = char_lower(text[i]);
    return copy;
}

/* The message of gRPC is sent uncompressed, so its encoding is not passed on. */
static bool passes(const struct http1_request *request, struct str name,
                   const struct forward_rules *rules, bool has_connection)
{
    return !IS_AMONG(name, hop_fields) && !IS_AMONG(name, override_fields) &&
           !is_replaced(name, &rules->upstream->headers) &&
           !str_eq_nocase(name, STR("grpc-encoding")) &&
           !(has_connection && http1_list_has(request, STR("connection"), name)) &&
           (rules->keeps_credentials || !IS_AMONG(name, credential_fields));
}

int forward_fields_request(const struct http1_request *request,
                           const struct forward_rules *rules, struct arena *arena,
                           struct http1_field *room, int max)
{
    const struct pairs *headers = &rules->upstream->headers;
    struct str ignored;
    bool has_connection = http1_find(request, STR("connection"), &ignored);
    int n = 0;

    if (request->field_count + headers->count + 1 > max)
        return -1;
    for (int i = 0; i < request->field_count; i++) {
        const struct http1_field *field = &request->fields[i];

        if (passes(request, field->name, rules, has_connection))
            room[n++] = (struct http1_field){lower_case(field->name, arena),
                                             arena_str(arena, field->value)};
    }
    for (int i = 0; i < headers->count; i++)
        room[n++] = (struct http1_field){lower_case(headers->list[i].name, arena),
                                         arena_str(arena, headers->list[i].value)};
    if (rules->is_grpc)
        room[n++] = (struct http1_field){STR("te"), STR("trailers")};
    must(n <= max);
    return n;
}

int64_t forward_fields_length(const struct http1_field *fields, int count)
{
    for (int i = 0; i < count; i++) {
        struct str value = fields[i].value;
        int64_t length = -1;

        if (str_eq_nocase(fields[i].name, STR("content-length")) &&
            str_take_number(&value, INT64_MAX - 1, &length) > 0)
            return length;
    }
    return -1;
}

/* Whether a field Connection lists the name. */
static bool is_connections(const struct http1_field *fields, int count, struct str name)
{
    for (int i = 0; i < count; i++) {
        struct str list = fields[i].value, one = list, rest = {NULL, 0};
        bool has_more = true;

        if (!str_eq_nocase(fields[i].name, STR("connection")))
            continue;
        while (has_more) {
            has_more = str_cut(list, ',', &one, &rest);
            if (str_eq_nocase(str_trim(has_more ? one : list), name))
                return true;
            list = rest;
        }
    }
    return false;
}

int forward_fields_answer(const struct http1_field *fields, int count, bool keeps_date,
                          struct arena *arena, struct http1_field *room, int max)
{
    int n = 0;

    for (int i = 0; i < count; i++) {
        struct str name = fields[i].name;

        if (IS_AMONG(name, hop_fields) || is_connections(fields, count, name) ||
            (!keeps_date && str_eq_nocase(name, STR("date"))))
            continue;
        if (n == max)
            return -1;
        room[n++] = (struct http1_field){arena_str(arena, name),
                                         arena_str(arena, fields[i].value)};
    }
    return n;
}
