/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates a query for one schedule.  An attribute that the schedule does not have equals no
 * value.
 */
#include "api/temporal/temporal_query_parts.h"
#include "core/time/text.h"
#include "wire/json/json.h"

enum { ELEMENTS_MAX = 64 }; /* of a list of keywords; the rest is ignored */

/* ---- attributes ---- */

struct attribute {
    struct query_value values[ELEMENTS_MAX];
    int count; /* 0: null */
    json_t *json;
};

static struct query_value value_of(const json_t *json)
{
    if (json_is_string(json))
        return (struct query_value){
            .type = VALUE_TEXT, .text = {json_string_value(json), json_string_length(json)}};
    if (json_is_boolean(json))
        return (struct query_value){.type = VALUE_BOOL, .is_true = json_is_true(json)};
    if (json_is_number(json))
        return (struct query_value){.type = VALUE_NUMBER, .number = json_number_value(json)};
    return (struct query_value){.type = VALUE_NULL};
}

/* An attribute is a JSON value; clients that do not know its type send a list with it. */
static void read_custom(const Temporal__Fields *attributes, struct str name,
                        struct attribute *ret)
{
    const Temporal__Payload *payload = NULL;
    struct err err;

    for (size_t i = 0; attributes && i < attributes->n_fields; i++)
        if (str_eq(str_of(attributes->fields[i]->key), name))
            payload = attributes->fields[i]->value;
    if (!payload || json_read((struct str){(const char *)payload->data.data, payload->data.len},
                              &ret->json, &err) != RC_OK)
        return;
    if (!json_is_array(ret->json))
        ret->values[ret->count++] = value_of(ret->json);
    for (size_t i = 0; i < json_array_size(ret->json) && ret->count < ELEMENTS_MAX; i++)
        ret->values[ret->count++] = value_of(json_array_get(ret->json, i));
    if (ret->count == 1 && ret->values[0].type == VALUE_NULL)
        ret->count = 0;
}

static void read_attribute(const struct temporal_query *query, const struct schedule_view *view,
                           const Temporal__Fields *attributes, struct buf *room,
                           struct attribute *ret)
{
    const struct cursor *cursor = &view->cursor;
    struct query_value *value = ret->values;

    ret->count = 1;
    switch (query->name) {
    case NAME_ID:
        *value = (struct query_value){.type = VALUE_TEXT, .text = view->row.name};
        return;
    case NAME_PAUSED:
        *value = (struct query_value){.type = VALUE_BOOL,
                                      .is_true = (cursor->flags & CURSOR_BARRED) != 0};
        return;
    case NAME_RUNNING:
        *value = (struct query_value){.type = VALUE_NUMBER, .number = (double)cursor->open};
        return;
    case NAME_BUFFERED:
        *value = (struct query_value){.type = VALUE_NUMBER, .number = (double)cursor->waiting};
        return;
    case NAME_NEXT:
        ret->count = cursor->next_at != INSTANT_NEVER;
        if (ret->count == 1)
            instant_format(cursor->next_at, room);
        *value = (struct query_value){.type = VALUE_TEXT, .text = buf_as_str(room)};
        return;
    case NAME_CUSTOM:
        break;
    }
    ret->count = 0;
    read_custom(attributes, query->custom, ret);
}

/* ---- comparing ---- */

static int compare_texts(struct str a, struct str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    instant x, y;
    struct err err;
    int order;

    if (instant_parse(a, &x, &err) == RC_OK && instant_parse(b, &y, &err) == RC_OK)
        return (x > y) - (x < y);
    order = len > 0 ? memcmp(a.ptr, b.ptr, len) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* False: the types differ. */
static bool compare_values(const struct query_value *a, const struct query_value *b, int *ret)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case VALUE_TEXT:
        *ret = compare_texts(a->text, b->text);
        return true;
    case VALUE_NUMBER:
        *ret = (a->number > b->number) - (a->number < b->number);
        return true;
    case VALUE_BOOL:
        *ret = (int)a->is_true - (int)b->is_true;
        return true;
    case VALUE_NULL:
        break;
    }
    return false;
}

static bool is_one_of(const struct query_value *value, const struct temporal_query *query)
{
    int order;

    for (int i = 0; i < query->value_count; i++)
        if (compare_values(value, &query->values[i], &order) && order == 0)
            return true;
    return false;
}

static bool fits_value(const struct temporal_query *query, const struct query_value *value)
{
    const struct query_value *wanted = query->values;
    int order = 0, end = 0;
    bool is_alike = query->op == OP_IN || compare_values(value, wanted, &order);

    switch (query->op) {
    case OP_IN:
        return is_one_of(value, query);
    case OP_EQ:
    case OP_NE:
        return is_alike && order == 0;
    case OP_LT:
        return is_alike && order < 0;
    case OP_LE:
        return is_alike && order <= 0;
    case OP_GT:
        return is_alike && order > 0;
    case OP_GE:
        return is_alike && order >= 0;
    case OP_BETWEEN:
        return is_alike && order >= 0 && compare_values(value, &wanted[1], &end) && end <= 0;
    case OP_STARTS_WITH:
        return is_alike && value->type == VALUE_TEXT && str_starts(value->text, wanted->text);
    case OP_IS_NULL:
        break;
    }
    return false;
}

static bool fits_one(const struct temporal_query *query, const struct schedule_view *view,
                     const Temporal__Fields *attributes)
{
    char text[INSTANT_TEXT_MAX];
    struct buf room = BUF(text);
    struct attribute found = {.count = 0};
    bool fits = false;

    read_attribute(query, view, attributes, &room, &found);
    if (query->op == OP_IS_NULL)
        fits = found.count == 0;
    for (int i = 0; i < found.count && !fits && query->op != OP_IS_NULL; i++)
        fits = fits_value(query, &found.values[i]);
    json_decref(found.json);
    return fits != (query->is_not || query->op == OP_NE);
}

bool temporal_query_fits(const struct temporal_query *query, const struct schedule_view *view,
                         const Temporal__Fields *attributes)
{
    switch (query->kind) {
    case QUERY_AND:
        return temporal_query_fits(query->left, view, attributes) &&
               temporal_query_fits(query->right, view, attributes);
    case QUERY_OR:
        return temporal_query_fits(query->left, view, attributes) ||
               temporal_query_fits(query->right, view, attributes);
    case QUERY_NOT:
        return !temporal_query_fits(query->left, view, attributes);
    case QUERY_COMPARE:
        return fits_one(query, view, attributes);
    case QUERY_ALL:
        break;
    }
    return true;
}
