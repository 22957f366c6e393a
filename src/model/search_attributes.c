/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values are payloads with JSON; null and an empty list remove an attribute.  A list of one
 * value is accepted for every type, as Temporal does.
 */
#include "model/search_attributes.h"

#include <string.h>

#include "core/time/text.h"
#include "wire/grpc/proto.h"
#include "wire/json/json.h"

static const char *const type_names[ATTRIBUTE_TYPES] = {
    [ATTRIBUTE_NONE] = "Unspecified",  [ATTRIBUTE_TEXT] = "Text",
    [ATTRIBUTE_KEYWORD] = "Keyword",   [ATTRIBUTE_INT] = "Int",
    [ATTRIBUTE_DOUBLE] = "Double",     [ATTRIBUTE_BOOL] = "Bool",
    [ATTRIBUTE_DATETIME] = "Datetime", [ATTRIBUTE_KEYWORD_LIST] = "KeywordList",
};

static struct search_attribute predefined[] = {
    {{"TemporalChangeVersion", 21}, ATTRIBUTE_KEYWORD_LIST},
    {{"BinaryChecksums", 15}, ATTRIBUTE_KEYWORD_LIST},
    {{"BuildIds", 8}, ATTRIBUTE_KEYWORD_LIST},
    {{"BatcherNamespace", 16}, ATTRIBUTE_KEYWORD},
    {{"BatcherUser", 11}, ATTRIBUTE_KEYWORD},
    {{"TemporalScheduledStartTime", 26}, ATTRIBUTE_DATETIME},
    {{"TemporalScheduledById", 21}, ATTRIBUTE_KEYWORD},
    {{"TemporalSchedulePaused", 22}, ATTRIBUTE_BOOL},
    {{"TemporalNamespaceDivision", 25}, ATTRIBUTE_KEYWORD},
    {{"TemporalPauseInfo", 17}, ATTRIBUTE_KEYWORD_LIST},
    {{"TemporalReportedProblems", 24}, ATTRIBUTE_KEYWORD_LIST},
};

const struct search_attributes search_attributes_predefined = {
    predefined,
    sizeof predefined / sizeof predefined[0],
};

const char *attribute_type_text(enum attribute_type type)
{
    return type_names[type > ATTRIBUTE_NONE && type < ATTRIBUTE_TYPES ? type : ATTRIBUTE_NONE];
}

enum attribute_type attribute_type_of(struct str text)
{
    for (int i = ATTRIBUTE_TEXT; i < ATTRIBUTE_TYPES; i++)
        if (str_eq(text, str_of(type_names[i])))
            return (enum attribute_type)i;
    return ATTRIBUTE_NONE;
}

enum attribute_type search_attributes_type(const struct search_attributes *list,
                                           struct str name)
{
    for (int i = 0; i < list->count; i++)
        if (str_eq(list->at[i].name, name))
            return list->at[i].type;
    return ATTRIBUTE_NONE;
}

bool search_attribute_is_system(struct str name)
{
    static const char *const names[] = {
        "WorkflowId",       "RunId",
        "WorkflowType",     "StartTime",
        "ExecutionTime",    "CloseTime",
        "ExecutionStatus",  "TaskQueue",
        "HistoryLength",    "ExecutionDuration",
        "HistorySizeBytes", "StateTransitionCount",
        "ParentWorkflowId", "ParentRunId",
        "RootWorkflowId",   "RootRunId",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

struct search_attributes search_attributes_copy(const struct search_attributes *list,
                                                struct arena *arena)
{
    struct search_attributes copy = {arena_array(arena, (size_t)list->count, sizeof *copy.at),
                                     list->count};

    for (int i = 0; i < list->count; i++)
        copy.at[i] = (struct search_attribute){arena_str(arena, list->at[i].name),
                                               list->at[i].type};
    return copy;
}

bool search_attributes_of_answer(struct str message, struct arena *arena,
                                 struct search_attributes *ret)
{
    const Temporal__ListSearchAttributesResponse *answer;
    ProtobufCMessage *read;
    struct err unused;

    if (proto_unpack(&temporal__list_search_attributes_response__descriptor, message, arena,
                     &read, &unused) != RC_OK)
        return false;
    answer = (const void *)read;
    if (answer->n_custom_attributes > SEARCH_ATTRIBUTES_MAX)
        return false;
    ret->at = arena_array(arena, answer->n_custom_attributes, sizeof *ret->at);
    ret->count = (int)answer->n_custom_attributes;
    for (int i = 0; i < ret->count; i++)
        ret->at[i] = (struct search_attribute){
            str_of(answer->custom_attributes[i]->key),
            (enum attribute_type)answer->custom_attributes[i]->value};
    return true;
}

/* ---- values ---- */

static bool is_time(const json_t *json)
{
    instant unused;
    struct err err;

    return json_is_string(json) &&
           instant_parse((struct str){json_string_value(json), json_string_length(json)},
                         &unused, &err) == RC_OK;
}

static bool is_of_type(const json_t *json, enum attribute_type type)
{
    switch (type) {
    case ATTRIBUTE_TEXT:
    case ATTRIBUTE_KEYWORD:
    case ATTRIBUTE_KEYWORD_LIST:
        return json_is_string(json);
    case ATTRIBUTE_INT:
        return json_is_integer(json);
    case ATTRIBUTE_DOUBLE:
        return json_is_number(json);
    case ATTRIBUTE_BOOL:
        return json_is_boolean(json);
    case ATTRIBUTE_DATETIME:
        return is_time(json);
    case ATTRIBUTE_NONE:
    case ATTRIBUTE_TYPES:
        break;
    }
    return true; /* a type that a later version of Temporal defines */
}

static bool fits(const json_t *json, enum attribute_type type)
{
    size_t count = json_array_size(json); /* 0: also if it is not a list */

    if (json_is_null(json) || (json_is_array(json) && count == 0))
        return true;
    if (!json_is_array(json))
        return type != ATTRIBUTE_KEYWORD_LIST && is_of_type(json, type);
    if (type != ATTRIBUTE_KEYWORD_LIST)
        return count == 1 && is_of_type(json_array_get(json, 0), type);
    for (size_t i = 0; i < count; i++)
        if (!is_of_type(json_array_get(json, i), type))
            return false;
    return true;
}

/* As Go prints a value that was decoded from JSON. */
static void print_value(const json_t *json, struct buf *out)
{
    if (json_is_string(json))
        buf_str(out, (struct str){json_string_value(json), json_string_length(json)});
    else if (json_is_integer(json))
        buf_int(out, json_integer_value(json));
    else if (json_is_real(json))
        buf_printf(out, "%.15g", json_real_value(json));
    else if (json_is_boolean(json))
        buf_text(out, json_is_true(json) ? "true" : "false");
    else
        buf_text(out, json_is_null(json) ? "<nil>" : "map[]");
}

static void print_any(const json_t *json, struct buf *out)
{
    if (!json_is_array(json)) {
        print_value(json, out);
        return;
    }
    buf_char(out, '[');
    for (size_t i = 0; i < json_array_size(json); i++) {
        if (i > 0)
            buf_char(out, ' ');
        print_value(json_array_get(json, i), out);
    }
    buf_char(out, ']');
}

static bool has_encoding(const Temporal__Payload *payload, const char *encoding)
{
    size_t len = strlen(encoding);

    for (size_t i = 0; i < payload->n_metadata; i++)
        if (strcmp(payload->metadata[i]->key, "encoding") == 0)
            return payload->metadata[i]->value.len == len &&
                   memcmp(payload->metadata[i]->value.data, encoding, len) == 0;
    return false;
}

static enum rc set_wrong(struct str name, enum attribute_type type, const json_t *json,
                         struct err *reterr)
{
    char text[STR_SHOWN_MAX];
    struct buf out = BUF(text);

    if (json)
        print_any(json, &out);
    else
        buf_text(&out, "value that is not JSON");
    return err_set(reterr, RC_INVALID, -1, 0,
                   "invalid value for search attribute %.*s of type %s: %.*s", STR_ARG(name),
                   attribute_type_text(type), STR_ARG(str_head(buf_as_str(&out), out.len)));
}

static enum rc check_value(struct str name, enum attribute_type type,
                           const Temporal__Payload *payload, struct err *reterr)
{
    json_auto_t *json = NULL;
    struct err unused;

    if (payload && payload->data.len > SEARCH_ATTRIBUTE_VALUE_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "search attribute %.*s value size %zu exceeds size limit %d",
                       STR_ARG(name), payload->data.len, SEARCH_ATTRIBUTE_VALUE_MAX);
    if (!payload || has_encoding(payload, "binary/null"))
        return RC_OK;
    if (!has_encoding(payload, "json/plain") ||
        json_read((struct str){(const char *)payload->data.data, payload->data.len}, &json,
                  &unused) != RC_OK)
        return set_wrong(name, type, NULL, reterr);
    return fits(json, type) ? RC_OK : set_wrong(name, type, json, reterr);
}

enum rc search_attributes_check(const struct search_attributes *list,
                                const Temporal__Fields *fields, struct str namespace,
                                struct err *reterr)
{
    if (!fields)
        return RC_OK;
    if (fields->n_fields > SEARCH_ATTRIBUTES_SET_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "number of search attributes %zu exceeds limit %d", fields->n_fields,
                       SEARCH_ATTRIBUTES_SET_MAX);
    for (size_t i = 0; i < fields->n_fields; i++) {
        struct str name = str_of(fields->fields[i]->key);
        enum attribute_type type = search_attributes_type(&search_attributes_predefined, name);

        if (search_attribute_is_system(name))
            return err_set(reterr, RC_INVALID, -1, 0,
                           "%.*s attribute can't be set in SearchAttributes", STR_ARG(name));
        if (type == ATTRIBUTE_NONE)
            type = search_attributes_type(list, name);
        if (type == ATTRIBUTE_NONE)
            return err_set(reterr, RC_INVALID, -1, 0,
                           "Namespace %.*s has no mapping defined for search attribute %.*s",
                           STR_ARG(namespace), STR_ARG(name));
        if (check_value(name, type, fields->fields[i]->value, reterr) != RC_OK)
            return RC_INVALID;
    }
    return RC_OK;
}
