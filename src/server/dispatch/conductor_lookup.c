/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads Conductor's lists of workflows: see conductor_lookup.h.
 */
#include "server/dispatch/conductor_lookup.h"

#include <inttypes.h>

#include "base/buf.h"
#include "model/member.h"

enum { QUERY_MORE = 128 }; /* the fixed parts of a query */

/* ---- requests ---- */

/*
 * Conductor's query language has no escapes: it removes quotes and parentheses, splits values
 * at commas and clauses at " AND ", and `*` matches everything.
 */
static bool fits_query(struct str value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.ptr[i] <= ' ' || value.ptr[i] > '~' || strchr("'\"()*,\\", value.ptr[i]))
            return false;
    return value.len > 0;
}

static bool is_shared(const struct lookup_query *query)
{
    struct str id = query->start->correlation_id;

    return id.len < query->run.len ||
           !str_eq(str_from(id, id.len - query->run.len), query->run);
}

static void begin_list(struct conductor_lookup *lookup, bool is_search)
{
    lookup->is_search = is_search;
    lookup->has_gap = false;
    lookup->from = 0;
    lookup->page = LOOKUP_PAGE;
}

void conductor_lookup_begin(struct conductor_lookup *lookup, const struct lookup_query *query)
{
    *lookup = (struct conductor_lookup){.may_search = fits_query(query->start->name)};
    begin_list(lookup, lookup->may_search && is_shared(query));
}

static struct str search_query(const struct lookup_query *query, struct arena *arena)
{
    const struct conductor_start *start = query->start;
    struct buf text = arena_buf(arena,
                                start->name.len + start->correlation_id.len + QUERY_MORE);

    buf_text(&text, "workflowType='");
    buf_str(&text, start->name);
    if (fits_query(start->correlation_id)) {
        buf_text(&text, "' AND correlationId='");
        buf_str(&text, start->correlation_id);
    }
    buf_printf(&text, "' AND startTime>%" PRId64, (query->since - LOOKUP_MARGIN) / SPAN_MS);
    return buf_whole(&text);
}

struct str conductor_lookup_url(struct str base, const struct conductor_lookup *lookup,
                                const struct lookup_query *query, struct arena *arena)
{
    if (!lookup->is_search)
        return conductor_url_find(base, query->start, arena);
    return conductor_url_search(base, search_query(query, arena), lookup->from, lookup->page,
                                arena);
}

/* ---- answers ---- */

static enum lookup_verdict end_list(struct conductor_lookup *lookup, bool is_complete,
                                    bool is_trusted)
{
    lookup->is_complete = lookup->is_complete || is_complete;
    if (lookup->is_second || (is_complete && is_trusted) || !lookup->may_search)
        return lookup->is_complete ? LOOKUP_ABSENT : LOOKUP_INCOMPLETE;
    lookup->is_second = true;
    begin_list(lookup, !lookup->is_search);
    return LOOKUP_MORE;
}

enum lookup_verdict conductor_lookup_refused(struct conductor_lookup *lookup)
{
    return end_list(lookup, false, false);
}

static enum lookup_verdict read_correlated(struct conductor_lookup *lookup, const json_t *list)
{
    bool is_complete = json_is_array(list) && json_array_size(list) < LOOKUP_LIST_CAP &&
                       !lookup->has_gap;

    return end_list(lookup, is_complete, true);
}

static enum lookup_verdict read_page(struct conductor_lookup *lookup, const json_t *answer)
{
    const json_t *results = json_object_get(answer, "results");
    json_int_t hits = json_integer_value(json_object_get(answer, "totalHits"));
    size_t count = json_array_size(results);

    if (!json_is_array(results) || count > LOOKUP_HITS_MAX)
        return end_list(lookup, false, false);
    lookup->from += (int32_t)count;
    if (count > 0 && lookup->from < hits)
        return lookup->from < LOOKUP_HITS_MAX ? LOOKUP_MORE : end_list(lookup, false, false);
    return end_list(lookup, lookup->from >= hits && !lookup->has_gap, lookup->from > 0);
}

static enum lookup_verdict read_too_large(struct conductor_lookup *lookup)
{
    if (!lookup->is_search || lookup->page == 1)
        return end_list(lookup, false, false);
    lookup->page /= LOOKUP_SHRINK;
    return LOOKUP_MORE;
}

enum lookup_verdict conductor_lookup_read(struct conductor_lookup *lookup,
                                          const struct lookup_query *query, struct str body,
                                          bool is_cut, struct arena *arena, struct str *ret_id)
{
    json_auto_t *answer = NULL;
    const json_t *list;
    struct conductor_hit hit;
    struct err err;

    if (is_cut)
        return read_too_large(lookup);
    if (body.len == 0 || json_read(body, &answer, &err) != RC_OK)
        return end_list(lookup, false, false);
    list = lookup->is_search ? json_object_get(answer, "results") : answer;
    hit = conductor_found(list, query->run, query->start, arena);
    if (hit.id.len > 0 && !str_eq(hit.id, query->known)) {
        *ret_id = hit.id;
        return LOOKUP_FOUND;
    }
    lookup->has_gap = lookup->has_gap || hit.has_gap;
    return lookup->is_search ? read_page(lookup, answer) : read_correlated(lookup, list);
}
