/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ListSchedules and CountSchedules.
 *
 * Pages are in order of ids; the token of a page has the last id that the server read, after
 * a hash, so that tokens of others are rejected.  A page reads a limited number of schedules,
 * so a page may be short or empty without being the last.
 */
#include "api/call/dialects.h"
#include "api/call/read_size.h"
#include "api/temporal/temporal_attributes.h"
#include "api/temporal/temporal_change.h"
#include "api/temporal/temporal_info.h"
#include "api/temporal/temporal_query.h"
#include "base/hash.h"
#include "core/spec/spec_pack.h"
#include "store/schedule_pages.h"

enum {
    PAGE_MAX = 1000,
    READ_ROWS = 100,          /* rows of one read                                         */
    READ_BYTES = 1 << 30,     /* of arena: every schedule may be as large as is allowed   */
    LIST_BYTES_MAX = 3 << 20, /* of an answer: clients accept 4 MiB                       */
    LISTED_SPEC_MAX = 10,     /* entries of each list of a spec                           */
    COUNT_SCAN_MAX = 1 << 20, /* schedules that a count reads                             */
    TOKEN_HASH = 16,          /* bytes of a page token before the id                      */
    TOKEN_SEED = 0x70616765,  /* its hashes differ from others of the same text           */
};

struct listing {
    int limit;
    struct str after;
    struct temporal_query *query;
    bool is_all; /* the query is blank */
};

/* ---- entries ---- */

/* A schedule that matches the query, with what is stored of it. */
struct match {
    struct schedule_view view;
    struct temporal_stored stored;
    struct temporal_runs runs;
};

static void shorten_spec(Temporal__ScheduleSpec *spec)
{
    if (spec->n_structured_calendar > LISTED_SPEC_MAX)
        spec->n_structured_calendar = LISTED_SPEC_MAX;
    if (spec->n_exclude_structured_calendar > LISTED_SPEC_MAX)
        spec->n_exclude_structured_calendar = LISTED_SPEC_MAX;
    if (spec->n_interval > LISTED_SPEC_MAX)
        spec->n_interval = LISTED_SPEC_MAX;
}

/* Whether calendars or cancelled slots have to be read. */
static bool has_more_to_read(const struct schedule_times *times)
{
    return times->plan.spec.not_named_count > 0 ||
           (times->view.cursor.flags & CURSOR_EXCEPTIONS);
}

/* The times to come; none if the zone is gone. */
static struct temporal_future future_of(const struct call *call, struct db *db,
                                        const struct schedule_view *view)
{
    struct schedule_times times = {.view = *view};
    struct err err;

    if (plan_unpack(view->row.packed, call->arena, &times.plan, &err) != RC_OK ||
        spec_bind(&times.plan.spec, &call->context->zones, &err) != RC_OK)
        return (struct temporal_future){0};
    times.ctx = advance_ctx(&times.plan, &times.view.cursor);
    times.ctx.budget = call->budget;
    if (has_more_to_read(&times) && schedule_times_fill(call, db, &times, &err) != RC_OK)
        return (struct temporal_future){0};
    return temporal_future(&times, call->now, FUTURE_LISTED, call->arena);
}

static Temporal__ScheduleListEntry *entry_of(const struct call *call, struct db *db,
                                             const struct match *match)
{
    const struct schedule_view *view = &match->view;
    const struct temporal_stored *stored = &match->stored;
    struct arena *arena = call->arena;
    Temporal__ScheduleListEntry *m = arena_take(arena, sizeof *m);
    Temporal__ScheduleListInfo *info = arena_take(arena, sizeof *info);
    const Temporal__NewWorkflowExecutionInfo *w = stored->schedule->action->start_workflow;
    struct temporal_recent recent = temporal_recent(&match->runs, str_of(w->workflow_id),
                                                    RECENT_LISTED, arena);
    struct temporal_future future = future_of(call, db, view);

    temporal__schedule_list_entry__init(m);
    temporal__schedule_list_info__init(info);
    m->schedule_id = temporal_text(view->row.name, arena);
    m->memo = stored->memo;
    m->search_attributes = stored->search_attributes;
    m->info = info;
    shorten_spec(stored->schedule->spec);
    info->spec = stored->schedule->spec;
    info->workflow_type = w->workflow_type;
    info->notes = temporal_text(view->row.reason, arena);
    info->paused = (view->cursor.flags & CURSOR_BARRED) != 0;
    info->recent_actions = recent.results;
    info->n_recent_actions = recent.count;
    info->future_action_times = future.times;
    info->n_future_action_times = future.count;
    return m;
}

/* ---- the walk ---- */

struct walk {
    struct call call; /* a copy of the request's, with an arena that each batch resets */
    struct db *db;
    const struct listing *listing;
    struct read_size read_size;
    char name[SCHEDULE_ID_MAX + 1];
    struct str last_name; /* the last schedule that was read */
    int scanned, scan_max;
    bool is_done, is_full;
    struct answer *list; /* the message so far; NULL: only count */
    int64_t count;
};

static void set_last_name(struct walk *w, struct str name)
{
    struct buf copy = BUF(w->name);

    buf_str(&copy, name);
    w->last_name = buf_as_str(&copy);
}

/* Returns the number of matches. */
static int select_rows(struct walk *w, const struct db_result *rows, struct match *matches)
{
    int n = 0;

    for (int i = 0; i < rows->rows; i++) {
        struct match *match = &matches[n];
        struct arena *arena = w->call.arena;

        w->is_full = w->list && w->count + n >= w->listing->limit;
        if (w->is_full)
            break;
        schedule_views_read(rows, i, &match->view);
        set_last_name(w, match->view.row.name);
        w->scanned++;
        if (!temporal_is_visible(&match->view) ||
            !temporal_query_fits(w->listing->query, &match->view,
                                 temporal_stored_attributes(&match->view.row, arena)))
            continue;
        if (w->list)
            match->stored = temporal_stored_brief(&match->view.row, arena);
        n++;
    }
    return n;
}

/* Concatenated messages are one message; their lists are joined.  False: the page is full. */
static bool add_entry(struct walk *w, const struct match *match)
{
    Temporal__ListSchedulesResponse one = TEMPORAL__LIST_SCHEDULES_RESPONSE__INIT;
    Temporal__ScheduleListEntry *entry = entry_of(&w->call, w->db, match);
    struct str bytes;

    one.n_schedules = 1;
    one.schedules = &entry;
    bytes = proto_pack(&one.base, w->call.arena);
    if (w->count > 0 && w->list->buf.len + bytes.len > LIST_BYTES_MAX)
        return false;
    answer_str(w->list, bytes);
    return true;
}

/* The first entry that does not fit is the first of the next page. */
static enum rc add_entries(struct walk *w, struct match *matches, int count, struct str before,
                           struct err *reterr)
{
    enum rc rc;

    for (int i = 0; i < count; i++)
        temporal_runs_send(w->db, matches[i].view.row.id, RECENT_LISTED, RECENT_LISTED,
                           &matches[i].runs);
    rc = count > 0 ? db_flush(w->db, w->call.arena, reterr) : RC_OK;
    for (int i = 0; i < count && rc == RC_OK; i++) {
        if (!add_entry(w, &matches[i])) {
            set_last_name(w, before);
            w->is_full = true;
            return RC_OK;
        }
        before = matches[i].view.row.name;
        w->count++;
    }
    return rc;
}

static enum rc walk_batch(struct walk *w, struct err *reterr)
{
    const struct schedule_batch batch = {.namespace = w->call.namespace,
                                         .order = ORDER_NAME,
                                         .after = {.name = w->last_name},
                                         .limit = w->read_size.rows};
    struct db_result rows = {0};
    struct match *matches;
    struct str before;
    int count = 0;
    enum rc rc;

    arena_reset(w->call.arena);
    before = arena_str(w->call.arena, w->last_name);
    schedule_pages_read(w->db, &batch, &rows);
    rc = db_flush(w->db, w->call.arena, reterr);
    if (read_size_is_cut(&w->read_size, w->db, rc))
        return RC_OK;
    if (rc != RC_OK)
        return rc;
    matches = arena_array(w->call.arena, (size_t)batch.limit, sizeof *matches);
    count = select_rows(w, &rows, matches);
    if (w->list)
        rc = add_entries(w, matches, count, before, reterr);
    else
        w->count += count;
    w->is_done = rows.rows < batch.limit && !w->is_full;
    return rc;
}

static enum rc walk_all(struct walk *w, struct err *reterr)
{
    enum rc rc = RC_OK;

    w->call.arena = arena_new(READ_BYTES);
    w->read_size = read_size_of(READ_ROWS);
    set_last_name(w, w->listing->after);
    while (rc == RC_OK && !w->is_done && !w->is_full && w->scanned < w->scan_max)
        rc = walk_batch(w, reterr);
    w->call.arena = arena_free(w->call.arena);
    return rc;
}

/* ---- the calls ---- */

static struct str token_of(struct str name, struct arena *arena)
{
    struct buf token = {.cap = TOKEN_HASH + name.len + 1};

    token.ptr = arena_take(arena, token.cap);
    buf_hex(&token, hash_bytes(name.ptr, name.len, TOKEN_SEED));
    buf_str(&token, name);
    return buf_as_str(&token);
}

/* False: it is not a token of this server. */
static bool read_token(struct str token, struct arena *arena, struct str *ret)
{
    *ret = (struct str){NULL, 0};
    if (token.len == 0)
        return true;
    if (token.len <= TOKEN_HASH || token.len > TOKEN_HASH + SCHEDULE_ID_MAX)
        return false;
    *ret = str_from(token, TOKEN_HASH);
    return str_eq(token, token_of(*ret, arena)) && str_is_utf8(*ret) &&
           !memchr(ret->ptr, '\0', ret->len);
}

static struct listing *listing_of(struct call *call, const char *query,
                                  enum call_step *ret_step)
{
    struct listing *listing = arena_take(call->arena, sizeof *listing);
    struct err err;

    listing->is_all = str_trim(str_of(query)).len == 0;
    if (temporal_query_parse(str_of(query), call->arena, &listing->query, &err) != RC_OK) {
        *ret_step = call_refuse(call, "invalid_field", &err);
        return NULL;
    }
    return temporal_attributes_query(call, listing->query, ret_step) ? listing : NULL;
}

enum call_step temporal_list_begin(struct call *call)
{
    Temporal__ListSchedulesRequest *request;
    struct listing *listing;
    enum call_step step;

    if (!temporal_read(call, &temporal__list_schedules_request__descriptor, &request, &step))
        return step;
    listing = listing_of(call, request->query, &step);
    if (!listing)
        return step;
    listing->limit = request->maximum_page_size;
    if (listing->limit <= 0 || listing->limit > PAGE_MAX)
        listing->limit = PAGE_MAX;
    if (!read_token((struct str){(const char *)request->next_page_token.data,
                                 request->next_page_token.len},
                    call->arena, &listing->after))
        return call_problem(call, 400, "invalid_field", "Invalid NextPageToken.");
    call->arg = listing;
    return CALL_READ;
}

enum call_step temporal_list_read(struct call *call, struct db *db)
{
    Temporal__ListSchedulesResponse last = TEMPORAL__LIST_SCHEDULES_RESPONSE__INIT;
    struct answer list = answer_new(call->arena);
    struct walk w = {.call = *call,
                     .db = db,
                     .listing = call->arg,
                     .scan_max = VIEW_SCAN_MAX,
                     .list = &list};
    struct err err;

    if (walk_all(&w, &err) != RC_OK)
        return temporal_failed(call, &err);
    if (!w.is_done) {
        struct str token = token_of(w.last_name, call->arena);

        last.next_page_token = (ProtobufCBinaryData){token.len,
                                                     (uint8_t *)(uintptr_t)token.ptr};
    }
    answer_str(&list, proto_pack(&last.base, call->arena));
    return temporal_answer_packed(call, answer_done(&list));
}

enum call_step temporal_count_begin(struct call *call)
{
    Temporal__CountSchedulesRequest *request;
    enum call_step step;

    if (!temporal_read(call, &temporal__count_schedules_request__descriptor, &request, &step))
        return step;
    call->arg = listing_of(call, request->query, &step);
    return call->arg ? CALL_READ : step;
}

/* The database counts, so that no row is read. */
static enum rc count_all(const struct call *call, struct db *db, int64_t *ret,
                         struct err *reterr)
{
    struct db_result count = {0};
    enum rc rc;

    schedule_pages_count(db, call->namespace, DIALECTS_TEMPORAL, CURSOR_CLOSED, &count);
    rc = db_flush(db, call->arena, reterr);
    *ret = rc == RC_OK ? db_int_at(&count, 0, 0) : 0;
    return rc;
}

enum call_step temporal_count_read(struct call *call, struct db *db)
{
    Temporal__CountSchedulesResponse answer = TEMPORAL__COUNT_SCHEDULES_RESPONSE__INIT;
    struct walk w = {.call = *call, .db = db, .listing = call->arg, .scan_max = COUNT_SCAN_MAX};
    struct err err;

    if ((w.listing->is_all ? count_all(call, db, &w.count, &err) : walk_all(&w, &err)) != RC_OK)
        return temporal_failed(call, &err);
    if (!w.listing->is_all && !w.is_done)
        return call_problem(call, 422, "limit",
                            "the namespace has more than %d schedules; a count with a query "
                            "does not read more",
                            COUNT_SCAN_MAX);
    answer.count = w.count;
    return temporal_answer(call, &answer.base);
}
