/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists what the next clock changes do to schedules.
 *
 * A page examines a limited number of schedules, in order of the changes, and prints those that
 * are affected; the cursor names the last one that was examined.
 */
#include <inttypes.h>

#include "api/call/answer.h"
#include "api/call/read_size.h"
#include "api/overview/clock_zones.h"
#include "api/overview/overview.h"
#include "api/schedules/page.h"
#include "api/schedules/schedule_times.h"
#include "core/explain/explain.h"
#include "core/spec/spec_pack.h"
#include "store/catalogue_rows.h"

enum {
    SLOTS_MAX = 10,       /* of one schedule and change                    */
    MEMBER_STEPS = 20000, /* of struct budget, for one schedule            */
    MEMBER_COST = 40,     /* the same, to read one                         */
    POSITION_MAX = 80,    /* bytes of a position, without the zone's name */
};

#define YEAR (366 * SPAN_DAY)

struct clock_changes {
    struct clock_query query;
    struct page page;
    struct digest context; /* the request for which a cursor is valid */
    /* The position in the cursor: the change, the last schedule, and how many before it. */
    bool has_position;
    int64_t at, id, examined;
    struct str zone;
};

/* ---- the request ---- */

static enum rc read_all(const struct call *call, bool *ret, struct err *reterr)
{
    struct str word = request_query(call, "all");

    *ret = str_eq(word, STR("true"));
    if (word.len > 0 && !*ret && !str_eq(word, STR("false")))
        return err_field(reterr, "all", "must be true or false");
    return RC_OK;
}

static bool take_part(struct str *rest, int64_t *ret)
{
    if (str_take_number(rest, INT64_MAX - 1, ret) == 0 || rest->len == 0 || rest->ptr[0] != '.')
        return false;
    *rest = str_from(*rest, 1);
    return true;
}

static enum rc read_position(const struct call *call, struct clock_changes *c,
                             struct err *reterr)
{
    struct str text, until = request_query(call, "until");
    enum rc rc;

    digest_add(&c->context, call->namespace_name.ptr, call->namespace_name.len);
    digest_add(&c->context, c->query.zone.ptr, c->query.zone.len);
    digest_add(&c->context, until.ptr, until.len);
    digest_int(&c->context, c->query.all);
    if (c->page.after.len == 0)
        return RC_OK;
    rc = page_unseal(&c->context, c->page.after, &text, reterr);
    if (rc != RC_OK)
        return rc;
    c->has_position = take_part(&text, &c->at) && take_part(&text, &c->id) &&
                      take_part(&text, &c->examined);
    c->zone = text;
    return c->has_position ? RC_OK
                           : err_field(reterr, "cursor", "invalid cursor; start without it");
}

enum call_step clock_changes_begin(struct call *call)
{
    static const char *const names[] = {"until", "zone", "all"};
    struct clock_changes *c = arena_take(call->arena, sizeof *c);
    struct err err;

    c->query.from = call->now;
    c->query.until = instant_after(call->now, YEAR);
    c->query.zone = request_query(call, "zone");
    if (page_begin(call, names, 3, &c->page, &err) != RC_OK ||
        request_query_instant(call, "until", &c->query.until, &err) != RC_OK ||
        read_all(call, &c->query.all, &err) != RC_OK || read_position(call, c, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = c;
    return CALL_READ;
}

/* ---- one schedule ---- */

/* A page while it is printed. */
struct listing {
    struct call *call;
    struct db *db;
    const struct clock_changes *request;
    struct clock_zones zones;
    struct answer out;
    struct explain_change *effects; /* EXPLAIN_CHANGES_MAX */
    int open;                       /* the change whose object is open; -1: none */
    int64_t examined;               /* of its schedules, on this page and before */
    int affected;                   /* on this page */
    struct clock_member last;
    int64_t unknown; /* schedules whose effect takes too long to compute */
};

/* What one change does to a schedule. */
struct member_plan {
    struct str name;
    struct plan plan;
    struct spec_ctx ctx;
};

static const struct explain_change *find_effect(struct listing *l, const struct member_plan *m,
                                                const struct zone_change *change)
{
    instant at = instant_of_seconds(change->at);
    int count = explain_changes(&m->plan.spec, &m->ctx, at - SPAN_S, at, l->effects);

    for (int i = 0; i < count; i++)
        if (str_eq(m->plan.spec.zones[l->effects[i].zone].name, l->zones.at[change->zone].name))
            return &l->effects[i];
    return NULL;
}

static void print_effect(struct listing *l, const struct member_plan *m,
                         const struct explain_change *effect)
{
    struct answer *out = &l->out;
    instant slots[SLOTS_MAX];
    int count = explain_change_slots(&m->plan.spec, &m->ctx, effect, SLOTS_MAX, slots);

    if (m->ctx.budget->is_over)
        return;
    answer_open(out);
    answer_put_text(out, "id", m->name);
    answer_put_word(out, "effect", explain_effect_text(effect->effect));
    answer_put_word(out, "text", effect->text);
    answer_text(out, ",\"slots\":[");
    for (int i = 0; i < count; i++) {
        answer_text(out, i > 0 ? "," : "");
        answer_instant(out, slots[i]);
    }
    answer_text(out, "]}");
    l->affected++;
}

/* Schedules that cannot be read or have no zone file are left out; `check` reports them. */
static enum rc read_member(struct listing *l, const struct db_result *rows, int row,
                           struct member_plan *ret, bool *ret_is_read, struct err *reterr)
{
    const struct call *call = l->call;
    struct err err;

    ret->name = db_text_at(rows, row, 1);
    *ret_is_read = plan_unpack(db_blob_at(rows, row, 2), call->arena, &ret->plan, &err) ==
                       RC_OK &&
                   spec_bind(&ret->plan.spec, &call->context->zones, &err) == RC_OK;
    if (!*ret_is_read)
        return RC_OK;
    ret->ctx = spec_ctx(ret->plan.created);
    ret->ctx.seed = ret->plan.seed;
    return schedule_times_calendars(call, l->db, &ret->plan.spec, &ret->ctx, reterr);
}

static enum rc examine_member(struct listing *l, const struct db_result *rows, int row,
                              const struct zone_change *change, struct err *reterr)
{
    struct budget budget = budget_part(l->call->budget, MEMBER_STEPS);
    int64_t given = budget.left;
    const struct explain_change *effect;
    struct member_plan m;
    bool is_read;
    enum rc rc = read_member(l, rows, row, &m, &is_read, reterr);

    if (rc != RC_OK || !is_read)
        return rc;
    m.ctx.budget = &budget;
    effect = find_effect(l, &m, change);
    if (effect && effect->touches)
        print_effect(l, &m, effect);
    l->unknown += budget.is_over;
    budget_join(l->call->budget, given, &budget);
    return RC_OK;
}

/* ---- changes ---- */

static void close_change(struct listing *l)
{
    int64_t left;

    if (l->open < 0)
        return;
    left = l->zones.at[l->zones.changes[l->open].zone].schedules - l->examined;
    answer_text(&l->out, "]");
    answer_put_int(&l->out, "more", left > 0 ? left : 0);
    answer_text(&l->out, "}");
    l->open = -1;
}

static void open_change(struct listing *l, int number)
{
    const struct zone_change *change = &l->zones.changes[number];
    const struct clock_zone *zone = &l->zones.at[change->zone];

    if (l->open == number)
        return;
    close_change(l);
    l->examined = number == l->last.change ? l->examined : 0;
    l->open = number;
    answer_open(&l->out);
    answer_put_instant(&l->out, "at", instant_of_seconds(change->at));
    answer_put_text(&l->out, "timezone", zone->name);
    answer_put_int(&l->out, "offsetBefore", change->before);
    answer_put_int(&l->out, "offsetAfter", change->after);
    answer_put_int(&l->out, "schedules", zone->schedules);
    answer_text(&l->out, ",\"affected\":[");
}

static int find_row(const struct db_result *rows, int64_t id)
{
    for (int i = 0; i < rows->rows; i++)
        if (db_int_at(rows, i, 0) == id)
            return i;
    return -1;
}

/* Examines members that were read together, until the page is full. */
static enum rc examine_part(struct listing *l, const struct clock_member *members, int count,
                            const struct db_result *rows, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; rc == RC_OK && i < count && l->affected < l->request->page.limit; i++) {
        int row = find_row(rows, members[i].id);

        open_change(l, members[i].change);
        l->last = members[i];
        l->examined++;
        (void)budget_spend(l->call->budget, MEMBER_COST);
        if (row >= 0)
            rc = examine_member(l, rows, row, &l->zones.changes[members[i].change], reterr);
    }
    return rc;
}

static enum rc examine_members(struct listing *l, const struct clock_member *members, int count,
                               struct err *reterr)
{
    struct read_size size = read_size_of(CATALOGUE_KEYS_MAX);
    enum rc rc = RC_OK;

    for (int done = 0; rc == RC_OK && done < count && l->affected < l->request->page.limit;) {
        int part = count - done < size.rows ? count - done : size.rows;
        int64_t keys[CATALOGUE_KEYS_MAX];
        struct db_result rows = {0};

        for (int i = 0; i < part; i++)
            keys[i] = members[done + i].id;
        catalogue_plans_get(l->db, keys, part, &rows);
        rc = db_flush(l->db, l->call->arena, reterr);
        if (read_size_is_cut(&size, l->db, rc)) {
            rc = RC_OK;
            continue;
        }
        if (rc == RC_OK)
            rc = examine_part(l, &members[done], part, &rows, reterr);
        done += part;
    }
    return rc;
}

/* The change of the cursor, or the one that comes next in its place. */
static struct clock_member find_position(const struct listing *l)
{
    const struct clock_changes *r = l->request;
    int i = 0;

    if (!r->has_position)
        return (struct clock_member){-1, INT64_MAX};
    while (i < l->zones.change_count && l->zones.changes[i].at < r->at)
        i++;
    for (int j = i; j < l->zones.change_count && l->zones.changes[j].at == r->at; j++)
        if (str_eq(l->zones.at[l->zones.changes[j].zone].name, r->zone))
            return (struct clock_member){j, r->id};
    return (struct clock_member){i - 1, INT64_MAX};
}

static struct str print_position(const struct listing *l)
{
    const struct zone_change *change = &l->zones.changes[l->last.change];
    struct str zone = l->zones.at[change->zone].name;
    struct buf text = arena_buf(l->call->arena, POSITION_MAX + zone.len);

    buf_printf(&text, "%" PRId64 ".%" PRId64 ".%" PRId64 ".", change->at, l->last.id,
               l->examined);
    buf_str(&text, zone);
    return page_seal(&l->request->context, buf_as_str(&text), l->call->arena);
}

static const char *what_was_cut(const struct listing *l)
{
    return l->unknown > 0 ? "the effect on some schedules takes too long to compute"
                          : l->zones.cut;
}

/* Members that this page has not examined. */
static bool has_more(const struct listing *l, const struct clock_members *members)
{
    const struct clock_member *end;

    if (members->count == 0)
        return false;
    end = &members->at[members->count - 1];
    return members->has_more || l->last.change != end->change || l->last.id != end->id;
}

static enum call_step print_page(struct listing *l)
{
    const struct clock_changes *r = l->request;
    struct clock_members members;
    struct str cursor = {NULL, 0};
    enum call_step step;
    struct err err;

    l->last = find_position(l);
    l->examined = r->has_position && l->last.id == r->id ? r->examined : 0;
    if (!clock_zones_members(l->call, &l->zones, &l->last, &members, &step))
        return step;
    answer_open(&l->out);
    answer_put_instant(&l->out, "from", r->query.from);
    answer_put_instant(&l->out, "until", r->query.until);
    answer_text(&l->out, ",\"changes\":[");
    if (examine_members(l, members.at, members.count, &err) != RC_OK)
        return view_failed(l->call, &err);
    if (has_more(l, &members))
        cursor = print_position(l);
    close_change(l);
    answer_text(&l->out, "]");
    answer_put_some(&l->out, "cursor", cursor);
    answer_put_instant(&l->out, "asOf", l->zones.as_of);
    answer_put_word(&l->out, "cut", what_was_cut(l));
    answer_text(&l->out, "}");
    return call_answer(l->call, 200, answer_done(&l->out));
}

enum call_step clock_changes_read(struct call *call, struct db *db)
{
    struct listing l = {.call = call,
                        .db = db,
                        .request = call->arg,
                        .out = answer_new(call->arena),
                        .open = -1};
    enum call_step step;

    l.effects = arena_array(call->arena, EXPLAIN_CHANGES_MAX, sizeof *l.effects);
    if (!clock_zones_read(call, db, &l.request->query, &l.zones, &step))
        return step;
    return print_page(&l);
}
