/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the times of a schedule before and after an edit, without changing anything.
 */
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/native/native_document.h"
#include "api/schedules/schedule_times.h"

enum {
    TIMES_DEFAULT = 100, /* times to compare on each side */
    TIMES_MAX = 1000,
};

struct diff_body {
    struct str document, patch; /* JSON; one of them is empty */
    int32_t count;
    instant from;
};

#define NOTE_AT_REST                                                                           \
    ",\"note\":\"the schedule does not run, and the edit does not change this; these are the " \
    "times at which it would otherwise run\""

#define AT(member) .offset = offsetof(struct diff_body, member)

static const struct member body_list[] = {
    {"document", MEMBER_MAP, AT(document), .high = JSON_BYTES_MAX},
    {"patch", MEMBER_MAP, AT(patch), .high = JSON_BYTES_MAX},
    {"count", MEMBER_INT32, AT(count), .low = 1, .high = TIMES_MAX},
    {"from", MEMBER_INSTANT, AT(from)},
};

static const struct members body_members = MEMBERS(body_list);

/* An object without members is stored as an empty text; restore it. */
static void restore_empty(const json_t *json, const char *name, struct str *map)
{
    if (map->len == 0 && json_is_object(json_object_get(json, name)))
        *map = STR("{}");
}

enum call_step schedule_diff_begin(struct call *call)
{
    struct diff_body *body = arena_take(call->arena, sizeof *body);
    const struct reading reading = {call->arena, false, body};
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    *body = (struct diff_body){.count = TIMES_DEFAULT, .from = call->now};
    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (members_read(&body_members, json, &reading, &err) != RC_OK)
        return call_refuse(call, err.rc == RC_INVALID ? "invalid_field" : NULL, &err);
    restore_empty(json, "document", &body->document);
    restore_empty(json, "patch", &body->patch);
    if ((body->document.len > 0) == (body->patch.len > 0))
        return change_refuse(call, "document",
                             "must be present, or patch instead, but not both: the complete "
                             "schedule, or the fields to change");
    call->arg = body;
    return CALL_READ;
}

struct side {
    instant *times; /* ascending */
    int count;
    bool is_more;
};

/*
 * Sets the flags after the edit, which ends a quarantine.  A document that does not mention the
 * pause keeps it.
 */
static void set_flags(const struct call *call, const struct schedule_doc *doc, struct cursor *c)
{
    bool is_paused = doc->pause.is_paused && doc->pause.until > call->now;

    c->flags &= ~(CURSOR_DISABLED | CURSOR_QUARANTINED);
    c->flags |= doc->is_enabled ? 0 : CURSOR_DISABLED;
    if (!doc->pause.is_said)
        return;
    c->flags &= ~CURSOR_PAUSED;
    c->flags |= is_paused ? CURSOR_PAUSED : 0;
    c->paused_until = is_paused ? doc->pause.until : INSTANT_NONE;
}

/* The schedule after the edit. */
static enum rc read_after(const struct call *call, struct db *db,
                          const struct schedule_times *p, struct schedule_times *ret,
                          struct err *reterr)
{
    const struct diff_body *body = call->arg;
    json_auto_t *json = NULL, *sent = NULL;
    struct schedule_doc doc;
    struct str document;
    enum rc rc = native_document_base(call, &p->view, &document, reterr);

    if (rc == RC_OK)
        rc = json_read(body->patch.len > 0 ? body->patch : body->document, &sent, reterr);
    if (rc != RC_OK)
        return rc;
    json = body->patch.len > 0 ? native_document_patched(document, sent) : json_incref(sent);
    rc = schedule_from_json(json, call->arena, false, &doc, reterr);
    if (rc == RC_OK) {
        *ret = *p;
        set_flags(call, &doc, &ret->view.cursor);
        ret->plan.is_governed = doc.governor.is_set;
        rc = spec_compile(&doc.spec, p->plan.seed, &call->context->zones, call->arena,
                          &ret->plan.spec, reterr);
        if (rc != RC_OK)
            err_in(reterr, "spec");
        else
            ret->plan.follows = plan_follows(&ret->plan);
    }
    if (rc != RC_OK) {
        err_in(reterr, body->patch.len > 0 ? "patch" : "document");
        return reterr->rc = rc == RC_NOT_FOUND ? RC_INVALID : rc; /* not found: a time zone */
    }
    return schedule_times_calendars(call, db, &ret->plan.spec, &ret->ctx, reterr);
}

/* The slots that will run: not cancelled and, unless `ignores_pause`, not in a pause. */
static struct side read_times(const struct call *call, const struct schedule_times *p,
                              bool ignores_pause)
{
    const struct diff_body *body = call->arg;
    const struct cursor *c = &p->view.cursor;
    struct side side = {
        .times = arena_array(call->arena, (size_t)body->count, sizeof *side.times)};
    instant first_due = c->flags & CURSOR_PAUSED ? c->paused_until : INSTANT_NONE;
    instant after = body->from - 1;
    struct spec_walk walk;
    struct slot slot;

    if (ignores_pause)
        first_due = INSTANT_NONE;
    else if (schedule_times_is_at_rest(c))
        return side;
    if (first_due != INSTANT_NONE && first_due - 1 - p->plan.spec.jitter > after)
        after = first_due - 1 - p->plan.spec.jitter;
    spec_walk_begin(&walk, &p->plan.spec, &p->ctx, after);
    while (!side.is_more && spec_walk_next(&walk, &slot)) {
        if (slot.due < first_due || schedule_times_is_cancelled(p, slot.at))
            continue;
        side.is_more = side.count == body->count;
        if (!side.is_more)
            side.times[side.count++] = slot.at;
    }
    return side;
}

static void print_list(const char *name, const instant *times, int count, struct answer *out)
{
    answer_text(out, name);
    for (int i = 0; i < count; i++) {
        answer_text(out, i > 0 ? "," : "");
        answer_instant(out, times[i]);
    }
    answer_text(out, "]");
}

/* The time up to which both sides are complete. */
static instant find_horizon(const struct side *before, const struct side *after)
{
    instant until = INSTANT_NEVER;

    if (before->is_more)
        until = before->times[before->count - 1];
    if (after->is_more && after->times[after->count - 1] < until)
        until = after->times[after->count - 1];
    return until;
}

/* Stores the times of `side` up to the horizon that `other` does not have. */
static int subtract(const struct side *side, const struct side *other, instant until,
                    instant *ret)
{
    int count = 0, k = 0;

    for (int i = 0; i < side->count && side->times[i] <= until; i++) {
        while (k < other->count && other->times[k] < side->times[i])
            k++;
        if (k == other->count || other->times[k] != side->times[i])
            ret[count++] = side->times[i];
    }
    return count;
}

static int count_until(const struct side *side, instant until)
{
    int count = 0;

    while (count < side->count && side->times[count] <= until)
        count++;
    return count;
}

enum call_step schedule_diff_read(struct call *call, struct db *db)
{
    const struct diff_body *body = call->arg;
    struct schedule_times *p = arena_take(call->arena, 2 * sizeof *p);
    struct answer out = answer_new(call->arena);
    struct side before, after;
    instant *changed = arena_array(call->arena, (size_t)body->count, sizeof *changed);
    bool is_at_rest;
    instant until;
    struct err err;
    int added, removed;

    if (schedule_times_read(call, db, &p[0], &err) != RC_OK)
        return view_failed(call, &err);
    if (read_after(call, db, &p[0], &p[1], &err) != RC_OK)
        return err.rc == RC_INVALID ? call_refuse(call, change_item_code(&err), &err)
                                    : view_failed(call, &err);
    is_at_rest = schedule_times_is_at_rest(&p[0].view.cursor) &&
                 schedule_times_is_at_rest(&p[1].view.cursor);
    before = read_times(call, &p[0], is_at_rest);
    after = read_times(call, &p[1], is_at_rest);
    until = find_horizon(&before, &after);
    answer_open(&out);
    answer_put_text(&out, "schedule", call->params[0]);
    answer_put_instant(&out, "from", body->from);
    answer_put_instant(&out, "until", until);
    print_list(",\"before\":[", before.times, count_until(&before, until), &out);
    print_list(",\"after\":[", after.times, count_until(&after, until), &out);
    added = subtract(&after, &before, until, changed);
    print_list(",\"added\":[", changed, added, &out);
    removed = subtract(&before, &after, until, changed);
    print_list(",\"removed\":[", changed, removed, &out);
    answer_put_int(&out, "same", count_until(&after, until) - added);
    if (p[0].plan.follows || p[1].plan.follows)
        answer_text(&out, ",\"later\":\"dependsOnRuns\"");
    answer_text(&out, is_at_rest ? NOTE_AT_REST "}" : "}");
    return call_answer(call, 200, answer_done(&out));
}
