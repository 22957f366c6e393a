/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the query of a search for executions, matches executions and orders them.
 */
#include "api/conductor/conductor_query.h"

#include <string.h>

#include "core/limits.h"

const char *execution_state_text(enum execution_state state)
{
    static const char *const texts[] = {"POLLED", "EXECUTED", "FAILED"};

    return texts[state];
}

enum { VALUE_SHOWN = 60 }; /* bytes of a value in a message */

const struct conductor_query conductor_query_all = {.slot_after = INSTANT_NONE,
                                                    .slot_before = INSTANT_NEVER,
                                                    .run_after = INSTANT_NONE,
                                                    .run_before = INSTANT_NEVER};

/* ---- clauses ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Whether a blank, the word and a blank follow. */
static bool is_word(struct str rest, struct str word)
{
    size_t end = 1 + word.len;

    return rest.len >= end && is_blank(rest.ptr[0]) &&
           str_eq_nocase((struct str){rest.ptr + 1, word.len}, word) &&
           (rest.len == end || is_blank(rest.ptr[end]));
}

/* Up to the next AND outside of lists and quotes. */
static enum rc next_clause(struct str *rest, struct str *ret, struct err *reterr)
{
    char quote = '\0';
    int depth = 0;

    for (size_t i = 0; i < rest->len; i++) {
        char c = rest->ptr[i];

        if (quote != '\0')
            quote = c == quote ? '\0' : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '(' || c == ')')
            depth += c == '(' ? 1 : -1;
        else if (depth <= 0 && is_word(str_from(*rest, i), STR("OR")))
            return err_set(reterr, RC_INVALID, -1, 0,
                           "OR is not supported; use AND and lists: state IN (POLLED, FAILED)");
        else if (depth <= 0 && is_word(str_from(*rest, i), STR("AND"))) {
            *ret = str_trim((struct str){rest->ptr, i});
            *rest = str_from(*rest, i + 4);
            return RC_OK;
        }
    }
    if (quote != '\0' || depth != 0)
        return err_set(reterr, RC_INVALID, -1, 0, "a %s is not closed",
                       quote != '\0' ? "quote" : "bracket");
    *ret = str_trim(*rest);
    *rest = str_from(*rest, rest->len);
    return RC_OK;
}

static struct str unquoted(struct str text)
{
    text = str_trim(text);
    if (text.len >= 2 && (text.ptr[0] == '\'' || text.ptr[0] == '"') &&
        text.ptr[text.len - 1] == text.ptr[0])
        return (struct str){text.ptr + 1, text.len - 2};
    return text;
}

/* "(a, 'b')" */
static enum rc read_list(struct str text, struct query_list *ret, struct err *reterr)
{
    struct query_list list = {.is_set = true};
    struct str item, rest;
    bool is_more = true;

    text = str_trim(text);
    if (text.len < 2 || text.ptr[0] != '(' || text.ptr[text.len - 1] != ')')
        return err_set(reterr, RC_INVALID, -1, 0, "a list (a, b) must follow IN");
    rest = (struct str){text.ptr + 1, text.len - 2};
    while (is_more) {
        is_more = str_cut(rest, ',', &item, &rest);
        item = unquoted(is_more ? item : rest);
        if (item.len > 0 && list.count == QUERY_LIST_MAX)
            return err_set(reterr, RC_INVALID, -1, 0, "a list has more than %d names",
                           QUERY_LIST_MAX);
        if (item.len > 0)
            list.names[list.count++] = item;
    }
    *ret = list;
    return RC_OK;
}

static void set_single(struct query_list *list, struct str name)
{
    *list = (struct query_list){.names = {name}, .count = 1, .is_set = true};
}

/* ---- one clause ---- */

struct clause {
    struct str field;
    char sign; /* '=', '<', '>'; 'i': IN; '\0': one bare word; '?': invalid */
    struct str value;
};

static struct clause read_clause(struct str text)
{
    struct clause clause = {.sign = '?'};
    size_t i = 0;

    while (i < text.len && !is_blank(text.ptr[i]) && !strchr("=<>(", text.ptr[i]))
        i++;
    clause.field = (struct str){text.ptr, i};
    while (i < text.len && is_blank(text.ptr[i]))
        i++;
    text = str_from(text, i);
    if (text.len == 0) {
        clause.sign = '\0';
    } else if (strchr("=<>", text.ptr[0])) {
        clause.sign = text.ptr[0];
        clause.value = unquoted(str_from(text, 1));
    } else if (text.len >= 2 && str_eq_nocase((struct str){text.ptr, 2}, STR("IN"))) {
        clause.sign = 'i';
        clause.value = str_from(text, 2);
    }
    return clause;
}

static enum rc read_time(const struct clause *clause, instant *after, instant *before,
                         struct err *reterr)
{
    struct str rest = clause->value;
    int64_t ms;

    if (clause->sign != '<' && clause->sign != '>')
        return RC_OK;
    if (str_take_number(&rest, INSTANT_MAX / SPAN_MS, &ms) == 0 || rest.len > 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "%.*s is compared with milliseconds since 1970, not with \"%.*s\"",
                       STR_ARG(clause->field), STR_ARG(str_head(clause->value, VALUE_SHOWN)));
    *(clause->sign == '>' ? after : before) = ms * SPAN_MS;
    return RC_OK;
}

static enum rc read_names(const struct clause *clause, struct query_list *list,
                          struct err *reterr)
{
    if (clause->sign == 'i')
        return read_list(clause->value, list, reterr);
    if (clause->sign == '=')
        set_single(list, clause->value);
    return RC_OK;
}

static enum rc add_clause(struct conductor_query *query, struct str text, struct err *reterr)
{
    struct clause clause = read_clause(text);

    if (clause.sign == '\0')
        set_single(&query->schedules, unquoted(text));
    else if (str_eq_nocase(clause.field, STR("scheduleName")))
        return read_names(&clause, &query->schedules, reterr);
    else if (str_eq_nocase(clause.field, STR("state")) ||
             str_eq_nocase(clause.field, STR("status")))
        return read_names(&clause, &query->states, reterr);
    else if (str_eq_nocase(clause.field, STR("workflowName")) && clause.sign == '=')
        query->workflow_part = clause.value;
    else if (str_eq_nocase(clause.field, STR("workflowName")) ||
             str_eq_nocase(clause.field, STR("workflowType")))
        return read_names(&clause, &query->workflows, reterr);
    else if (str_eq_nocase(clause.field, STR("executionId")) && clause.sign == '=')
        query->id = clause.value;
    else if (str_eq_nocase(clause.field, STR("scheduledTime")))
        return read_time(&clause, &query->slot_after, &query->slot_before, reterr);
    else if (str_eq_nocase(clause.field, STR("startTime")))
        return read_time(&clause, &query->run_after, &query->run_before, reterr);
    return RC_OK;
}

enum rc conductor_query_read(struct str query, struct str text, struct conductor_query *ret,
                             struct err *reterr)
{
    struct conductor_query read = conductor_query_all;
    struct str clause, rest = query;

    while (rest.len > 0) {
        if (next_clause(&rest, &clause, reterr) != RC_OK)
            return reterr->rc;
        if (clause.len > 0 && !str_eq(clause, STR("*")) &&
            add_clause(&read, clause, reterr) != RC_OK)
            return reterr->rc;
    }
    text = str_trim(text);
    if (!str_eq(text, STR("*")))
        read.text = text;
    *ret = read;
    return RC_OK;
}

/* ---- matching ---- */

static bool list_contains(const struct query_list *list, struct str name)
{
    for (int i = 0; i < list->count; i++)
        if (str_eq(list->names[i], name))
            return true;
    return !list->is_set;
}

bool conductor_query_fits(const struct conductor_query *query,
                          const struct conductor_found *found)
{
    return list_contains(&query->schedules, found->schedule) &&
           list_contains(&query->states, str_of(execution_state_text(found->state))) &&
           list_contains(&query->workflows, found->workflow) &&
           str_contains_nocase(found->workflow, query->workflow_part) &&
           (query->id.len == 0 || str_eq(found->id, query->id)) &&
           found->slot > query->slot_after && found->slot < query->slot_before &&
           found->executed > query->run_after && found->executed < query->run_before &&
           (str_contains_nocase(found->schedule, query->text) ||
            str_contains_nocase(found->workflow_id, query->text) ||
            str_contains_nocase(found->id, query->text));
}

/* ---- order ---- */

struct conductor_sort conductor_sort_read(struct str text)
{
    static const struct {
        const char *name;
        enum execution_order by;
    } list[] = {
        {"scheduledTime", BY_SLOT},    {"executionTime", BY_EXECUTED},
        {"startTime", BY_EXECUTED},    {"scheduleName", BY_SCHEDULE},
        {"workflowName", BY_WORKFLOW}, {"workflowType", BY_WORKFLOW},
        {"state", BY_STATE},           {"status", BY_STATE},
    };
    struct conductor_sort sort = {.by = BY_SLOT};
    struct str first, rest, field, direction = {NULL, 0};

    if (!str_cut(text, ',', &first, &rest))
        first = text;
    if (!str_cut(first, ':', &field, &direction))
        field = first;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (str_eq_nocase(str_trim(field), str_of(list[i].name)))
            sort.by = list[i].by;
    sort.is_ascending = str_eq_nocase(str_trim(direction), STR("ASC"));
    return sort;
}

static int compare_texts(struct str a, struct str b)
{
    int order = memcmp(a.len > 0 ? a.ptr : "", b.len > 0 ? b.ptr : "",
                       a.len < b.len ? a.len : b.len);

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_by(enum execution_order by, const struct conductor_found *a,
                      const struct conductor_found *b)
{
    switch (by) {
    case BY_EXECUTED:
        return (a->executed > b->executed) - (a->executed < b->executed);
    case BY_SCHEDULE:
        return compare_texts(a->schedule, b->schedule);
    case BY_WORKFLOW:
        return compare_texts(a->workflow, b->workflow);
    case BY_STATE:
        return compare_texts(str_of(execution_state_text(a->state)),
                             str_of(execution_state_text(b->state)));
    case BY_SLOT:
        break;
    }
    return (a->slot > b->slot) - (a->slot < b->slot);
}

int conductor_sort_compare(const struct conductor_sort *sort, const struct conductor_found *a,
                           const struct conductor_found *b)
{
    int order = compare_by(sort->by, a, b);

    if (order == 0)
        order = compare_by(BY_SLOT, a, b);
    if (order == 0)
        order = compare_texts(a->id, b->id);
    return sort->is_ascending ? order : -order;
}
