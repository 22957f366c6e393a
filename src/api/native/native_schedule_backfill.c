/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backfills: run past slots of a schedule, again or for the first time.
 *
 * The body itself has one range, or a list of ranges.  The slots are counted before anything is
 * started; a dry run only counts and lists them.
 */
#include <inttypes.h>

#include "api/call/change.h"
#include "api/native/native.h"
#include "api/schedules/schedule_times.h"

enum {
    TIMES_DEFAULT = 100, /* times that a dry run lists */
    TIMES_MAX = 1000,
    COUNT_ROUNDS = 100, /* for all ranges together: a tenth of a second or two */
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
    struct schedule_times_count *counts; /* of each range */
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
        all->ranges[i] = (struct range){body.from, body.to, body.overlap};
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

static const struct member body_list[] = {
    RANGE_MEMBERS(struct backfill_body),
    {"ranges", MEMBER_OTHER, .read = read_ranges},
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
    is_list = body->ranges != NULL;
    if (is_list && (body->from != INSTANT_NONE || body->to != INSTANT_NONE))
        return change_refuse(call, "ranges",
                             "cannot be combined with from and to; use one form");
    if (is_list && body->range_count == 0)
        return change_refuse(call, "ranges", "is empty; give at least one range");
    if (!is_list) {
        body->ranges = arena_take(call->arena, sizeof *body->ranges);
        *body->ranges = (struct range){body->from, body->to, body->overlap};
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

static enum call_step reject_size(struct call *call, int64_t count, bool is_cut)
{
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

    answer_text(out, "{\"schedule\":");
    answer_quoted(out, call->params[0]);
    answer_text(out, body->is_dry ? ",\"dryRun\":true,\"count\":" : ",\"count\":");
    answer_int(out, count);
    answer_text(out, is_cut ? ",\"more\":true,\"ranges\":[" : ",\"ranges\":[");
    for (int i = 0; i < body->range_count; i++) {
        const struct schedule_times_count *found = &body->counts[i];
        const struct range *range = &body->ranges[i];

        answer_text(out, i > 0 ? ",{\"from\":" : "{\"from\":");
        answer_instant(out, range->from);
        answer_text(out, ",\"to\":");
        answer_instant(out, range->until);
        answer_text(out, ",\"overlap\":");
        if (range->overlap < OVERLAP_COUNT)
            answer_quoted(out, str_of(overlap_text(range->overlap)));
        else
            answer_text(out, "null");
        answer_text(out, ",\"count\":");
        answer_int(out, found->count);
        answer_text(out, ",\"first\":");
        answer_instant(out, found->count > 0 ? found->first : INSTANT_NONE);
        answer_text(out, ",\"last\":");
        answer_instant(out, found->count > 0 ? found->last : INSTANT_NONE);
        answer_text(out, "}");
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
    for (int i = 0; i < body->range_count; i++)
        body->counts[i] = schedule_times_count(&p->plan, &p->ctx, body->ranges[i].from - 1,
                                               body->ranges[i].until,
                                               1 + COUNT_ROUNDS / body->range_count);
    count = count_all(body, &is_cut);
    if (!body->is_dry)
        return count > SLOTS_MAX ? reject_size(call, count, is_cut) : CALL_COMMANDS;
    print_head(call, body, &out);
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
