/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the parameters of sorted lists, and prints their pages and counts.
 */
#include "api/catalogue/catalogue_list.h"

#include <inttypes.h>

#include "api/call/request.h"
#include "model/action.h"
#include "store/schedule_pages.h"

enum {
    WORDS_MAX = 16,
    POSITION_MAX = 80, /* bytes of three numbers */
};

const char *const catalogue_list_names[CATALOGUE_LIST_NAMES] = {"health", "outcome", "zone",
                                                                "facets"};

static const char *const sort_words[SORT_COUNT] = {"id",          "nextAt",   "lastRunAt",
                                                   "lastOutcome", "failures", "lateness"};
static const char *const status_words[STATUS_COUNT] = {"active", "paused", "closed"};
static const char *const health_words[HEALTH_COUNT] = {"ok", "late", "failing", "paused",
                                                       "closed"};
static const char *const action_words[CATALOGUE_ACTIONS] = {"http", "exec", "queue",
                                                            "workflow"};

/* The outcomes of runs, and none: no run has ended. */
static const char *outcome_word(int outcome)
{
    if (outcome == OUTCOME_NONE)
        return "none";
    return outcome >= OUTCOME_SUCCEEDED ? outcome_text((enum outcome)outcome) : NULL;
}

/* ---- the request ---- */

static bool is_true(const struct call *call, const char *name)
{
    return str_eq(request_query(call, name), STR("true"));
}

static int find_sort(struct str word)
{
    if (word.len > 0 && word.ptr[0] == '-')
        word = str_from(word, 1);
    for (int i = 0; i < SORT_COUNT; i++)
        if (str_eq(word, str_of(sort_words[i])))
            return i;
    return -1;
}

/* Orders that only the database has. */
static bool is_stored_order(struct str word)
{
    if (word.len > 0 && word.ptr[0] == '-')
        word = str_from(word, 1);
    return str_eq(word, STR("createdAt")) || str_eq(word, STR("updatedAt"));
}

bool catalogue_list_is_wanted(const struct call *call)
{
    struct str sort = request_query(call, "sort");

    return (sort.len > 0 && !is_stored_order(sort) && find_sort(sort) != SORT_NAME) ||
           is_true(call, "facets") || request_query(call, "health").ptr ||
           request_query(call, "outcome").ptr || request_query(call, "zone").len > 0;
}

static enum rc read_sort(const struct call *call, struct catalogue_query *ret,
                         struct err *reterr)
{
    struct str word = request_query(call, "sort");
    int sort = word.len == 0 ? SORT_NAME : find_sort(word);

    if (is_stored_order(word))
        return err_field(
            reterr, "sort",
            "createdAt and updatedAt cannot be combined with health, outcome, zone "
            "or facets");
    if (sort < 0)
        return err_field(reterr, "sort",
                         "must be id, createdAt, updatedAt, nextAt, lastRunAt, lastOutcome, "
                         "failures or lateness; a - in front reverses the order");
    ret->sort = (enum catalogue_sort)sort;
    ret->is_descending = word.len > 0 && word.ptr[0] == '-';
    return RC_OK;
}

/* A comma-separated list of words as bits; none may be empty, as in `fields`. */
static enum rc read_words(const struct call *call, const char *name,
                          const char *const words[WORDS_MAX], uint32_t *ret, struct err *reterr)
{
    struct str rest = request_query(call, name), word;
    char text[ERR_TEXT_MAX];
    struct buf list = BUF(text);
    uint32_t bits = 0;

    for (int i = 0; i < WORDS_MAX; i++)
        if (words[i])
            buf_printf(&list, "%s%s", list.len == 0 ? "" : ", ", words[i]);
    for (bool is_last = !rest.ptr; !is_last;) {
        uint32_t bit = 0;

        is_last = !str_cut(rest, ',', &word, &rest);
        if (is_last)
            word = rest;
        for (int i = 0; i < WORDS_MAX; i++)
            if (words[i] && str_eq(word, str_of(words[i])))
                bit = UINT32_C(1) << i;
        if (bit == 0) {
            err_set(reterr, RC_INVALID, 0, (int)word.len,
                    "must be a comma-separated list of these: %s", text);
            return err_in(reterr, "%s", name);
        }
        bits |= bit;
    }
    *ret = bits;
    return RC_OK;
}

static uint32_t bit_of(struct str word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (str_eq(word, str_of(words[i])))
            return UINT32_C(1) << i;
    return 0;
}

enum rc catalogue_list_filter(const struct call *call, const struct schedule_filter *from,
                              struct catalogue_filter *ret, struct err *reterr)
{
    const char *healths[WORDS_MAX] = {NULL}, *outcomes[WORDS_MAX] = {NULL};
    enum rc rc;

    for (int i = 0; i < HEALTH_COUNT; i++)
        healths[i] = health_words[i];
    for (int i = 0; i < CATALOGUE_OUTCOMES; i++)
        outcomes[i] = outcome_word(i);
    *ret = (struct catalogue_filter){
        .prefix = from->prefix,
        .search = from->search,
        .label = from->label,
        .value = from->value,
        .has_value = from->has_value,
        .queue = from->queue,
        .zone = request_query(call, "zone"),
        .statuses = bit_of(from->status, status_words, STATUS_COUNT),
        .actions = bit_of(from->action, action_words, CATALOGUE_ACTIONS),
    };
    rc = read_words(call, "health", healths, &ret->healths, reterr);
    return rc == RC_OK ? read_words(call, "outcome", outcomes, &ret->outcomes, reterr) : rc;
}

/* A cursor is valid for one order and filter; pages may differ in limit, fields and facets. */
static struct digest digest_query(const struct call *call, const struct catalogue_query *query)
{
    struct digest digest = {0};

    digest_add(&digest, call->namespace_name.ptr, call->namespace_name.len);
    digest_int(&digest, query->sort);
    digest_int(&digest, query->is_descending);
    for (int i = 0; i < FILTER_NAMES + CATALOGUE_LIST_NAMES - 1; i++) {
        const char *name = i < FILTER_NAMES ? schedule_filter_names[i]
                                            : catalogue_list_names[i - FILTER_NAMES];
        struct str value = request_query(call, name);

        digest_add(&digest, value.ptr, value.len);
    }
    return digest;
}

/* "KEY.NAME", or "KEY.HIGH.LOW" with the halves of the value. */
static struct str print_position(const struct catalogue_query *query,
                                 const struct catalogue_position *position, struct arena *arena)
{
    struct buf text = {.cap = POSITION_MAX + position->name.len};
    uint64_t value = (uint64_t)position->value;

    text.ptr = arena_take(arena, text.cap);
    buf_printf(&text, "%" PRId64 ".", position->id);
    if (query->sort == SORT_NAME)
        buf_str(&text, position->name);
    else
        buf_printf(&text, "%" PRIu64 ".%" PRIu64, value >> 32, value & UINT32_MAX);
    return buf_as_str(&text);
}

static bool take_part(struct str *rest, int64_t max, int64_t *ret)
{
    if (str_take_number(rest, max, ret) == 0 || rest->len == 0 || rest->ptr[0] != '.')
        return false;
    *rest = str_from(*rest, 1);
    return true;
}

static bool parse_position(struct str text, struct catalogue_query *query)
{
    struct catalogue_position *after = &query->after;
    int64_t high = 0, low = 0;

    if (!take_part(&text, INT64_MAX - 2, &after->id))
        return false;
    if (query->sort == SORT_NAME) {
        after->name = text;
        return true;
    }
    if (!take_part(&text, UINT32_MAX, &high) || str_take_number(&text, UINT32_MAX, &low) == 0 ||
        text.len > 0)
        return false;
    after->value = (int64_t)((uint64_t)high << 32 | (uint64_t)low);
    return true;
}

static enum rc read_position(struct call *call, struct catalogue_list *list, struct err *reterr)
{
    struct schedule_scan *scan = &list->scan;
    struct str text;
    enum rc rc;

    scan->context = digest_query(call, &list->query);
    if (scan->page.after.len == 0)
        return RC_OK;
    rc = page_unseal(&scan->context, scan->page.after, &text, reterr);
    if (rc != RC_OK)
        return rc;
    list->query.has_after = parse_position(text, &list->query);
    return list->query.has_after
               ? RC_OK
               : err_field(reterr, "cursor", "invalid cursor; start without it");
}

enum rc catalogue_list_begin(struct call *call, struct catalogue_list *ret, struct err *reterr)
{
    const char *names[FILTER_NAMES + CATALOGUE_LIST_NAMES + 2] = {"fields", "sort"};
    struct catalogue_query *query = &ret->query;
    struct str facets = request_query(call, "facets");
    int count = 2;
    enum rc rc;

    *ret = (struct catalogue_list){.scan = {.fields = FIELDS_ALL}};
    for (int i = 0; i < FILTER_NAMES; i++)
        names[count++] = schedule_filter_names[i];
    for (int i = 0; i < CATALOGUE_LIST_NAMES; i++)
        names[count++] = catalogue_list_names[i];
    rc = page_begin(call, names, count, &ret->scan.page, reterr);
    if (rc == RC_OK)
        rc = schedule_filter_read(call, &ret->scan.filter, reterr);
    if (rc == RC_OK)
        rc = catalogue_list_filter(call, &ret->scan.filter, &query->filter, reterr);
    if (rc == RC_OK)
        rc = read_sort(call, query, reterr);
    if (rc == RC_OK && facets.len > 0 && !is_true(call, "facets") &&
        !str_eq(facets, STR("false")))
        rc = err_field(reterr, "facets", "must be true or false");
    query->wants_facets = !str_eq(facets, STR("false"));
    query->limit = ret->scan.page.limit;
    return rc == RC_OK ? read_position(call, ret, reterr) : rc;
}

/* ---- the answer ---- */

static void put_counts(struct answer *out, const char *name, const char *const *words,
                       const int64_t *counts, int count)
{
    const char *separator = "";

    answer_name(out, name);
    answer_text(out, "{");
    for (int i = 0; i < count; i++) {
        if (!words[i])
            continue;
        answer_text(out, separator);
        answer_quoted(out, str_of(words[i]));
        answer_text(out, ":");
        answer_int(out, counts[i]);
        separator = ",";
    }
    answer_text(out, "}");
}

static void put_values(struct answer *out, const char *name,
                       const struct catalogue_values *values, bool is_label)
{
    answer_name(out, name);
    answer_text(out, "[");
    for (int i = 0; i < values->count; i++) {
        const struct catalogue_value *value = &values->at[i];

        answer_text(out, i > 0 ? "," : "");
        answer_text(out, "{");
        if (is_label)
            answer_put_text(out, "name", value->name);
        answer_put_text(out, "value", is_label ? value->value : value->name);
        answer_put_int(out, "count", value->count);
        answer_text(out, "}");
    }
    answer_text(out, "]");
}

static void put_facets(struct answer *out, const struct catalogue_facets *facets)
{
    const char *outcomes[CATALOGUE_OUTCOMES];

    for (int i = 0; i < CATALOGUE_OUTCOMES; i++)
        outcomes[i] = outcome_word(i);
    answer_name(out, "facets");
    answer_text(out, "{");
    put_counts(out, "status", status_words, facets->status, STATUS_COUNT);
    put_counts(out, "health", health_words, facets->health, HEALTH_COUNT);
    put_counts(out, "outcome", outcomes, facets->outcome, CATALOGUE_OUTCOMES);
    put_counts(out, "action", action_words, facets->action, CATALOGUE_ACTIONS);
    put_values(out, "queue", &facets->queue, false);
    put_values(out, "zone", &facets->zone, false);
    put_values(out, "label", &facets->label, true);
    answer_text(out, "}");
}

enum call_step catalogue_list_refuse(struct call *call, const struct catalogue_page *page)
{
    if (!call->context->catalogue)
        return call_problem(call, 409, "bad_state",
                            "this server has no catalogue of schedules; sort by id, createdAt "
                            "or updatedAt, or set catalogue = true");
    call_field(call, STR("Retry-After"), STR("1"));
    return call_problem(call, 503, "unavailable",
                        "the server is still reading the schedules (%" PRId64
                        " so far); until then lists are sorted by id, createdAt or updatedAt "
                        "and have no facets",
                        page->loaded);
}

static enum call_step print_page(struct call *call, struct db *db, struct schedule_scan *scan,
                                 const struct catalogue_list *list,
                                 const struct catalogue_page *page)
{
    int64_t *at = arena_array(call->arena, (size_t)page->count, sizeof *at);
    struct schedule_keys keys = {.at = at, .count = page->count};
    struct str cursor = {NULL, 0};
    struct err err;

    for (int i = 0; i < page->count; i++)
        at[i] = page->at[i].id;
    page_open(&scan->out, "schedules");
    if (schedule_scan_print_keys(call, db, scan, &keys, &err) != RC_OK)
        return view_failed(call, &err);
    if (keys.done > 0 && (keys.done < page->count || page->has_more))
        cursor = page_seal(&scan->context,
                           print_position(&list->query, &page->at[keys.done - 1], call->arena),
                           call->arena);
    answer_text(&scan->out, "]");
    answer_put_some(&scan->out, "cursor", cursor);
    answer_put_instant(&scan->out, "asOf", page->as_of);
    answer_put_bool(&scan->out, "stale", call->now - page->as_of > CATALOGUE_STALE);
    answer_put_int(&scan->out, "total", page->total);
    if (page->facets)
        put_facets(&scan->out, page->facets);
    answer_text(&scan->out, "}");
    return call_answer(call, 200, answer_done(&scan->out));
}

enum call_step catalogue_list_read(struct call *call, struct db *db,
                                   const struct catalogue_list *list)
{
    struct schedule_scan scan = list->scan;
    struct catalogue_query query = list->query;
    struct catalogue_page page = {0};

    if (!call->context->catalogue)
        return catalogue_list_refuse(call, &page);
    query.filter.namespace = call->namespace;
    query.now = call->now;
    if (!call->context->catalogue(call->context->arg, &query, call->budget, call->arena, &page))
        return call_limit_budget(call);
    if (!page.is_loaded)
        return catalogue_list_refuse(call, &page);
    return print_page(call, db, &scan, list, &page);
}
