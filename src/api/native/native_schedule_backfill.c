/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backfills: run past slots of a schedule, again or for the first time.
 *
 * The body has from and to, or a list of ranges.  The slots are counted before anything is
 * started; a dry run only counts and lists them.
 */
#include <inttypes.h>

#include "api/call/change.h"
#include "api/native/native.h"
#include "api/native/native_backfill.h"
#include "core/time/text.h"

enum {
    TIMES_DEFAULT = 100, /* times that a dry run lists */
    TIMES_MAX = 1000,
    INCLUDE_MAX = 2,    /* cancelled and governor */
    COUNT_ROUNDS = 100, /* for all ranges together: 0.1 to 0.2 seconds */
    /* Slots of one backfill.  It cannot be undone, and with allowAll all runs are open at the
       same time.  A year has half a million minutes. */
    SLOTS_MAX = 1000 * 1000,
};
#define RANGE_MAX (36525 * SPAN_DAY) /* a hundred years: counting takes time for each day */

/* The body of the request, and the counts. */
struct backfill_body {
    instant from, to;
    enum overlap overlap;
    struct range *ranges;
    int range_count;
    bool is_dry;
    int32_t limit;
    int64_t flags; /* BACKFILL_MISSED, BACKFILL_CANCELLED, BACKFILL_GOVERNOR */
    struct schedule_times_count *counts; /* of each range                    */
    struct missed_slots missed;          /* with BACKFILL_MISSED             */
};

struct range_body {
    instant from, to;
    enum overlap overlap;
};

static enum rc parse_overlap(struct str word, void *to, struct err *reterr)
{
    return overlap_parse(word, to, reterr);
}

#define RANGE_MEMBERS(type)                                                               \
    {"from", MEMBER_INSTANT, .offset = offsetof(type, from)},                             \
        {"to", MEMBER_INSTANT, .offset = offsetof(type, to)},                             \
    {                                                                                     \
        "overlap", MEMBER_WORD, .offset = offsetof(type, overlap), .parse = parse_overlap \
    }

static const struct member range_list[] = {RANGE_MEMBERS(struct range_body)};
static const struct members range_members = MEMBERS(range_list);

struct ranges_reading {
    const struct reading *r;
    struct range *ranges;
};

static enum rc read_range(const json_t *item, int i, void *to, struct err *reterr)
{
    struct ranges_reading *all = to;
    struct range_body body = {INSTANT_NONE, INSTANT_NONE, OVERLAP_DEFAULT};
    const struct reading reading = {all->r->arena, all->r->is_lenient, &body};
    enum rc rc = members_read(&range_members, item, &reading, reterr);

    if (rc == RC_OK)
        all->ranges[i] = (struct range){
            .from = body.from, .until = body.to, .overlap = body.overlap};
    return rc;
}

static enum rc read_ranges(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct backfill_body *body = r->to;
    enum rc rc = json_take_count(value, BACKFILLS_MAX, &body->range_count, reterr);
    struct ranges_reading all = {.r = r};

    if (rc != RC_OK)
        return rc;
    all.ranges = arena_array(r->arena, (size_t)body->range_count, sizeof *all.ranges);
    body->ranges = all.ranges;
    return json_take_items(value, read_range, &all, reterr);
}

static enum rc parse_only(struct str word, void *to, struct err *reterr)
{
    int64_t *flags = to;

    if (!str_eq(word, STR("missed")) && !str_eq(word, STR("all")))
        return err_set(reterr, RC_INVALID, -1, 0, "must be missed or all");
    if (str_eq(word, STR("missed")))
        *flags |= BACKFILL_MISSED;
    return RC_OK;
}

static enum rc read_included(const json_t *item, int i, void *to, struct err *reterr)
{
    const char *word = json_string_value(item);
    struct backfill_body *body = to;

    (void)i;
    if (word && str_eq(str_of(word), STR("cancelled")))
        body->flags |= BACKFILL_CANCELLED;
    else if (word && str_eq(str_of(word), STR("governor")))
        body->flags |= BACKFILL_GOVERNOR;
    else
        return err_set(reterr, RC_INVALID, -1, 0, "must be cancelled or governor");
    return RC_OK;
}

static enum rc read_include(const json_t *value, const struct reading *r, struct err *reterr)
{
    int count;
    enum rc rc = json_take_count(value, INCLUDE_MAX, &count, reterr);

    return rc == RC_OK ? json_take_items(value, read_included, r->to, reterr) : rc;
}

static const struct member body_list[] = {
    RANGE_MEMBERS(struct backfill_body),
    {"ranges", MEMBER_OTHER, .read = read_ranges},
    {"only", MEMBER_WORD, .offset = offsetof(struct backfill_body, flags), .parse = parse_only},
    {"include", MEMBER_OTHER, .read = read_include},
    {"dryRun", MEMBER_BOOL, .offset = offsetof(struct backfill_body, is_dry)},
    {"limit", MEMBER_INT32, .offset = offsetof(struct backfill_body, limit), .low = 1,
     .high = TIMES_MAX},
};

static const struct members body_members = MEMBERS(body_list);

/* Returns NULL if the range is valid, else the problem and its field. */
static const char *check_range(const struct range *range, instant now, const char **ret_field)
{
    *ret_field = range->from == INSTANT_NONE ? "from" : "to";
    if (range->from == INSTANT_NONE || range->until == INSTANT_NONE)
        return "is missing; a range needs from and to";
    if (range->until < range->from)
        return "is before from";
    if (range->until > now)
        return "is in the future; future slots run by themselves";
    if (range->until - range->from > RANGE_MAX)
        return "is more than a hundred years after from; use shorter ranges";
    return NULL;
}

static enum call_step check_body(struct call *call, struct backfill_body *body, bool is_list)
{
    struct command *command = call->commands;
    struct err err;

    for (int i = 0; i < body->range_count; i++) {
        const char *field;
        const char *why = check_range(&body->ranges[i], call->now, &field);

        if (!why)
            continue;
        err_set(&err, RC_INVALID, -1, 0, "%s", why);
        err_in(&err, "%s", field);
        if (is_list)
            err_in(&err, "ranges[%d]", i);
        return call_refuse(call, NULL, &err);
    }
    command->backfill = (struct backfill_args){body->ranges, body->range_count};
    call->arg = body;
    return CALL_READ;
}

enum call_step schedule_backfill_begin(struct call *call)
{
    struct backfill_body *body = arena_take(call->arena, sizeof *body);
    bool is_list;
    enum call_step step;

    *body = (struct backfill_body){.from = INSTANT_NONE,
                                   .to = INSTANT_NONE,
                                   .overlap = OVERLAP_DEFAULT,
                                   .limit = TIMES_DEFAULT};
    change_command(call, COMMAND_BACKFILL);
    if (!change_begin(call, &body_members, body, &step))
        return step;
    if ((body->flags & ~BACKFILL_MISSED) && !(body->flags & BACKFILL_MISSED))
        return change_refuse(call, "include", "needs \"only\": \"missed\"");
    is_list = body->ranges != NULL;
    if (is_list && (body->from != INSTANT_NONE || body->to != INSTANT_NONE))
        return change_refuse(call, "ranges",
                             "cannot be combined with from and to; use one form");
    if (is_list && body->range_count == 0)
        return change_refuse(call, "ranges", "is empty; give at least one range");
    if (!is_list) {
        body->ranges = arena_take(call->arena, sizeof *body->ranges);
        *body->ranges = (struct range){
            .from = body->from, .until = body->to, .overlap = body->overlap};
        body->range_count = 1;
    }
    return check_body(call, body, is_list);
}

static int64_t count_all(const struct backfill_body *body, bool *ret_is_cut)
{
    int64_t count = 0;

    *ret_is_cut = false;
    for (int i = 0; i < body->range_count; i++) {
        count += body->counts[i].count;
        *ret_is_cut |= body->counts[i].is_cut;
    }
    return count;
}

/* A backfill whose size is not known could be too large. */
static enum call_step reject_size(struct call *call, int64_t count, bool is_cut)
{
    if (is_cut && count <= SLOTS_MAX)
        return call_problem(call, 422, "limit",
                            "the ranges have more slots than one request can count: %" PRId64
                            " were counted; use shorter ranges",
                            count);
    return call_problem(call, 422, "limit",
                        "the ranges have %s%" PRId64 " slots; the limit of one backfill is %d; "
                        "use shorter ranges and count their slots with dryRun",
                        is_cut ? "more than " : "", count, SLOTS_MAX);
}

static void print_head(const struct call *call, const struct backfill_body *body,
                       struct answer *out)
{
    bool is_cut;
    int64_t count = count_all(body, &is_cut);

    answer_open(out);
    answer_put_text(out, "schedule", call->params[0]);
    if (body->is_dry)
        answer_put_bool(out, "dryRun", true);
    answer_put_word(out, "only", body->flags & BACKFILL_MISSED ? "missed" : "all");
    answer_put_int(out, "count", count);
    if (!body->is_dry) {
        answer_put_int(out, "started", call->replies->started);
        answer_put_int(out, "skipped", call->replies->skipped);
        answer_put_int(out, "buffered", call->replies->buffered);
    }
    answer_text(out, is_cut ? ",\"more\":true,\"ranges\":[" : ",\"ranges\":[");
    for (int i = 0; i < body->range_count; i++) {
        const struct schedule_times_count *found = &body->counts[i];
        const struct range *range = &body->ranges[i];

        answer_open(out);
        if (!body->is_dry)
            answer_put_int(out, "id", (int64_t)call->replies->run.pass + i);
        answer_put_instant(out, "from", range->from);
        answer_put_instant(out, "to", range->until);
        answer_put_word(out, "overlap", overlap_text(range->overlap));
        answer_put_int(out, "count", found->count);
        answer_put_instant(out, "first", found->count > 0 ? found->first : INSTANT_NONE);
        answer_put_instant(out, "last", found->count > 0 ? found->last : INSTANT_NONE);
        answer_text(out, "}");
    }
    answer_text(out, "]");
}

static void print_missed(const struct missed_slots *missed, struct answer *out)
{
    answer_text(out, ",\"times\":[");
    for (int i = 0; i < missed->time_count; i++) {
        answer_text(out, i > 0 ? "," : "");
        answer_instant(out, missed->times[i]);
    }
    answer_text(out, "]");
}

static void print_times(const struct schedule_times *p, const struct backfill_body *body,
                        struct answer *out)
{
    int printed = 0;

    answer_text(out, ",\"times\":[");
    for (int i = 0; i < body->range_count; i++) {
        const struct range *range = &body->ranges[i];
        struct spec_walk walk;
        struct slot slot;

        spec_walk_begin(&walk, &p->plan.spec, &p->ctx, range->from - 1);
        while (printed < body->limit && spec_walk_next(&walk, &slot) &&
               slot.at <= range->until) {
            answer_text(out, printed++ > 0 ? "," : "");
            answer_instant(out, slot.at);
        }
    }
    answer_text(out, "]");
}

/* Counts the missed slots of all ranges.  Rejects ranges from before the ledger begins. */
static enum call_step count_missed(struct call *call, struct db *db,
                                   const struct schedule_times *p, struct backfill_body *body)
{
    span age = p->plan.policies.retention_age;
    instant since = age > 0 ? call->now - age : INSTANT_NONE;
    struct err err;

    body->missed = missed_slots_new(call, db, p, body->is_dry ? body->limit : 0);
    for (int i = 0; i < body->range_count; i++) {
        struct range *range = &body->ranges[i];

        if (range->from < since) {
            char text[INSTANT_TEXT_MAX];
            struct buf out = BUF(text);

            instant_format_ms(since, &out);
            err_set(&err, RC_INVALID, -1, 0,
                    "is too early; outcomes of slots before %s are not stored any more", text);
            err_in(&err, "from");
            if (body->from == INSTANT_NONE)
                err_in(&err, "ranges[%d]", i);
            return call_refuse(call, NULL, &err);
        }
        range->flags = body->flags;
        if (missed_slots_count(&body->missed, range, &body->counts[i], &err) != RC_OK)
            return view_failed(call, &err);
    }
    return CALL_READ;
}

/* The overlap policy of a native backfill: no slot is lost because another one runs. */
static enum overlap default_overlap(const struct plan *plan)
{
    return plan->policies.overlap == OVERLAP_ALLOW_ALL ? OVERLAP_ALLOW_ALL : OVERLAP_BUFFER_ALL;
}

enum call_step schedule_backfill_read(struct call *call, struct db *db)
{
    struct backfill_body *body = call->arg;
    struct schedule_times *p = arena_take(call->arena, sizeof *p);
    struct answer out = answer_new(call->arena);
    int64_t count;
    bool is_cut;
    struct err err;

    if (schedule_times_read(call, db, p, &err) != RC_OK)
        return view_failed(call, &err);
    body->counts = arena_array(call->arena, (size_t)body->range_count, sizeof *body->counts);
    if ((body->flags & BACKFILL_MISSED) && count_missed(call, db, p, body) != CALL_READ)
        return CALL_ANSWER;
    for (int i = 0; i < body->range_count; i++) {
        struct range *range = &body->ranges[i];

        if (range->overlap >= OVERLAP_COUNT)
            range->overlap = default_overlap(&p->plan);
        if (!(body->flags & BACKFILL_MISSED))
            body->counts[i] = schedule_times_count(&p->plan, &p->ctx, range->from - 1,
                                                   range->until,
                                                   1 + COUNT_ROUNDS / body->range_count);
        range->slots = body->counts[i].count;
    }
    count = count_all(body, &is_cut);
    if (!body->is_dry)
        return count > SLOTS_MAX || is_cut ? reject_size(call, count, is_cut) : CALL_COMMANDS;
    print_head(call, body, &out);
    if (body->flags & BACKFILL_MISSED)
        print_missed(&body->missed, &out);
    else
        print_times(p, body, &out);
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}

enum call_step schedule_backfill_settled(struct call *call)
{
    struct answer out = answer_new(call->arena);

    if (call->replies->rc != RC_OK)
        return call_refused(call, call->commands, call->replies);
    print_head(call, call->arg, &out);
    answer_text(&out, "}");
    return call_answer(call, 202, answer_done(&out));
}
