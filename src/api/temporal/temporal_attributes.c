/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The errors are those of Temporal: common/searchattribute and the query converter of its
 * visibility store.
 */
#include "api/temporal/temporal_attributes.h"

#include "api/call/context_attributes.h"
#include "api/temporal/temporal_query_parts.h"
#include "core/time/text.h"
#include "model/temporal_codec.h"

/* What is checked. */
struct subject {
    Temporal__Fields *fields[2];
    const struct temporal_query *query;
};

/* ---- queries ---- */

static const char *const op_texts[] = {
    [OP_EQ] = "=",
    [OP_NE] = "!=",
    [OP_LT] = "<",
    [OP_LE] = "<=",
    [OP_GT] = ">",
    [OP_GE] = ">=",
    [OP_IN] = "IN",
    [OP_BETWEEN] = "BETWEEN",
    [OP_STARTS_WITH] = "STARTS_WITH",
    [OP_IS_NULL] = "IS",
};

static bool allows_op(enum attribute_type type, enum query_op op)
{
    switch (op) {
    case OP_EQ:
    case OP_NE:
    case OP_IS_NULL:
        return true;
    case OP_IN:
        return type != ATTRIBUTE_TEXT;
    case OP_STARTS_WITH:
        return type == ATTRIBUTE_KEYWORD;
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
        return type != ATTRIBUTE_TEXT && type != ATTRIBUTE_KEYWORD_LIST;
    case OP_BETWEEN:
        break;
    }
    return type == ATTRIBUTE_KEYWORD || type == ATTRIBUTE_INT || type == ATTRIBUTE_DOUBLE ||
           type == ATTRIBUTE_DATETIME;
}

static enum rc check_op(const struct temporal_query *node, enum attribute_type type,
                        struct err *reterr)
{
    if (allows_op(type, node->op))
        return RC_OK;
    if (node->op == OP_BETWEEN)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid query: invalid expression: cannot do range condition on "
                       "search attribute '%.*s' of type %s",
                       STR_ARG(node->custom), attribute_type_text(type));
    return err_set(reterr, RC_INVALID, -1, 0,
                   "invalid query: operation is not supported: operator '%s%s' not supported "
                   "for %s type search attribute '%.*s'",
                   node->is_not ? "NOT " : "", op_texts[node->op], attribute_type_text(type),
                   STR_ARG(node->custom));
}

static bool is_whole(double number)
{
    return number >= -9e15 && number <= 9e15 && number == (double)(int64_t)number;
}

/* The value as Go prints it, with its type. */
static void print_value(const struct query_value *value, struct buf *out)
{
    switch (value->type) {
    case VALUE_TEXT:
        buf_printf(out, "\"%.*s\" (type: string)", STR_ARG(value->text));
        return;
    case VALUE_BOOL:
        buf_printf(out, "%s (type: bool)", value->is_true ? "true" : "false");
        return;
    case VALUE_NUMBER:
        buf_printf(out, is_whole(value->number) ? "%.0f (type: int64)" : "%g (type: float64)",
                   value->number);
        return;
    case VALUE_NULL:
        break;
    }
    buf_text(out, "<nil> (type: <nil>)");
}

static bool fits_type(const struct query_value *value, enum attribute_type type)
{
    switch (type) {
    case ATTRIBUTE_INT:
    case ATTRIBUTE_DOUBLE:
        return value->type == VALUE_NUMBER;
    case ATTRIBUTE_BOOL:
        return value->type == VALUE_BOOL;
    case ATTRIBUTE_DATETIME:
        return value->type == VALUE_TEXT ||
               (value->type == VALUE_NUMBER && is_whole(value->number));
    case ATTRIBUTE_TEXT:
    case ATTRIBUTE_KEYWORD:
    case ATTRIBUTE_KEYWORD_LIST:
        return value->type == VALUE_TEXT;
    case ATTRIBUTE_NONE:
    case ATTRIBUTE_TYPES:
        break;
    }
    return true;
}

static enum rc check_value(const struct temporal_query *node, enum attribute_type type,
                           const struct query_value *value, struct err *reterr)
{
    char text[2 * STR_SHOWN_MAX];
    struct buf out = BUF(text);
    instant unused;

    print_value(value, &out);
    if (!fits_type(value, type))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid query: invalid expression: invalid value type for search "
                       "attribute %.*s of type %s: %s",
                       STR_ARG(node->custom), attribute_type_text(type), text);
    if (type == ATTRIBUTE_DATETIME && value->type == VALUE_TEXT &&
        instant_parse(value->text, &unused, reterr) != RC_OK)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid query: invalid expression: unable to parse datetime '%.*s'",
                       STR_ARG(value->text));
    if (type == ATTRIBUTE_TEXT && str_trim(value->text).len == 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid query: invalid expression: no tokens found filtering on Text "
                       "type search attribute %.*s",
                       STR_ARG(node->custom));
    return RC_OK;
}

static enum attribute_type type_of(const struct temporal_query *node,
                                   const struct search_attributes *list)
{
    switch (node->name) {
    case NAME_ID:
        return ATTRIBUTE_KEYWORD;
    case NAME_PAUSED:
        return ATTRIBUTE_BOOL;
    case NAME_NEXT:
        return ATTRIBUTE_DATETIME;
    case NAME_RUNNING:
    case NAME_BUFFERED:
        return ATTRIBUTE_INT;
    case NAME_CUSTOM:
        break;
    }
    return search_attributes_type(list, node->custom);
}

static enum rc check_compare(const struct temporal_query *node,
                             const struct search_attributes *list, struct err *reterr)
{
    enum attribute_type type = type_of(node, list);

    if (type == ATTRIBUTE_NONE)
        type = search_attributes_type(&search_attributes_predefined, node->custom);
    if (type == ATTRIBUTE_NONE)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid query: invalid search attribute: %.*s", STR_ARG(node->custom));
    for (int i = 0; i < node->value_count; i++)
        if (check_value(node, type, &node->values[i], reterr) != RC_OK)
            return RC_INVALID;
    return check_op(node, type, reterr);
}

/* As deep as the query is nested: QUERY_DEPTH_MAX, and QUERY_NODES_MAX for a chain. */
static enum rc check_query(const struct temporal_query *query,
                           const struct search_attributes *list, struct err *reterr)
{
    if (!query || query->kind == QUERY_ALL)
        return RC_OK;
    if (query->kind == QUERY_COMPARE)
        return check_compare(query, list, reterr);
    if (check_query(query->left, list, reterr) != RC_OK)
        return RC_INVALID;
    return check_query(query->right, list, reterr);
}

/* The attributes that every schedule has need no list. */
static enum rc check_system_names(const struct temporal_query *query, struct err *reterr)
{
    if (!query || query->kind == QUERY_ALL)
        return RC_OK;
    if (query->kind == QUERY_COMPARE)
        return query->name == NAME_CUSTOM ? RC_OK : check_compare(query, NULL, reterr);
    if (check_system_names(query->left, reterr) != RC_OK)
        return RC_INVALID;
    return check_system_names(query->right, reterr);
}

/* Whether the list is needed. */
static bool has_custom(const struct temporal_query *query)
{
    if (!query || query->kind == QUERY_ALL)
        return false;
    if (query->kind == QUERY_COMPARE)
        return query->name == NAME_CUSTOM;
    return has_custom(query->left) || has_custom(query->right);
}

/* ---- both ---- */

static bool needs_list(const struct subject *subject)
{
    return (subject->fields[0] && subject->fields[0]->n_fields > 0) ||
           (subject->fields[1] && subject->fields[1]->n_fields > 0) ||
           has_custom(subject->query);
}

static enum rc check_subject(const struct call *call, const struct subject *subject,
                             const struct search_attributes *list, struct err *reterr)
{
    for (int i = 0; i < 2; i++)
        if (search_attributes_check(list, subject->fields[i], call->namespace_name, reterr) !=
            RC_OK)
            return RC_INVALID;
    return check_query(subject->query, list, reterr);
}

static void set_type(Temporal__Payload *payload, enum attribute_type type, struct arena *arena)
{
    Temporal__Payload__MetadataEntry **all, *entry = NULL;
    const char *text = attribute_type_text(type);

    for (size_t i = 0; i < payload->n_metadata; i++)
        if (strcmp(payload->metadata[i]->key, "type") == 0)
            entry = payload->metadata[i];
    if (!entry) {
        all = arena_array(arena, payload->n_metadata + 1, sizeof *all);
        for (size_t i = 0; i < payload->n_metadata; i++)
            all[i] = payload->metadata[i];
        entry = arena_take(arena, sizeof *entry);
        temporal__payload__metadata_entry__init(entry);
        entry->key = temporal_text(STR("type"), arena);
        all[payload->n_metadata++] = entry;
        payload->metadata = all;
    }
    entry->value = (ProtobufCBinaryData){strlen(text),
                                         (uint8_t *)temporal_text(str_of(text), arena)};
}

/* As Temporal does: some clients show only attributes whose payload names the type. */
static void set_types(const Temporal__Fields *fields, const struct search_attributes *list,
                      struct arena *arena)
{
    for (size_t i = 0; fields && i < fields->n_fields; i++) {
        enum attribute_type type = search_attributes_type(list, str_of(fields->fields[i]->key));

        if (fields->fields[i]->value && type != ATTRIBUTE_NONE)
            set_type(fields->fields[i]->value, type, arena);
    }
}

static bool check(struct call *call, const struct subject *subject, enum call_step *ret_step)
{
    const struct api_context *context = call->context;
    struct context_attributes found;
    struct err err;

    if (check_system_names(subject->query, &err) != RC_OK) {
        *ret_step = call_refuse(call, "invalid_field", &err);
        return false;
    }
    if (!context->search_attributes || !needs_list(subject))
        return true;
    context->search_attributes(context->arg, call->namespace_name, call->arena, &found);
    *ret_step = CALL_ATTRIBUTES;
    if (found.is_open)
        return true;
    if (!call->has_asked_attributes && found.is_upstream &&
        (!found.is_known || found.age > TEMPORAL_ATTRIBUTES_AGE))
        return false;
    if (!found.is_known)
        return true;
    if (check_subject(call, subject, &found.list, &err) == RC_OK) {
        for (int i = 0; i < 2; i++)
            set_types(subject->fields[i], &found.list, call->arena);
        return true;
    }
    if (!call->has_asked_attributes && found.is_upstream &&
        found.age > TEMPORAL_ATTRIBUTES_AGAIN)
        return false;
    *ret_step = call_refuse(call, "invalid_field", &err);
    return false;
}

bool temporal_attributes_check(struct call *call, Temporal__Fields *of_schedule,
                               Temporal__Fields *of_action, enum call_step *ret_step)
{
    return check(call, &(struct subject){.fields = {of_schedule, of_action}}, ret_step);
}

bool temporal_attributes_query(struct call *call, const struct temporal_query *query,
                               enum call_step *ret_step)
{
    return check(call, &(struct subject){.query = query}, ret_step);
}
