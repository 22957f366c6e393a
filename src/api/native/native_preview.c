/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Previews a spec without a schedule: its description, the next times, the effect of clock
 * changes, and warnings about likely mistakes.
 */
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/run_rate.h"
#include "api/schedules/schedule_times.h"
#include "core/describe/describe.h"
#include "core/explain/explain.h"
#include "core/time/text.h"
#include "model/schedule_json.h"

enum {
    TIMES_DEFAULT = 10,
    TIMES_MAX = 1000,
};

#define YEAR (366 * SPAN_DAY)

struct preview_body {
    struct str spec; /* JSON */
    struct str id;   /* of the schedule that would use it; jitter depends on it */
    int32_t count;
    instant from;
};

#define AT(member) .offset = offsetof(struct preview_body, member)

static const struct member body_list[] = {
    {"spec", MEMBER_JSON, AT(spec), .high = JSON_BYTES_MAX, .is_required = true},
    {"id", MEMBER_TEXT, AT(id), .high = SCHEDULE_ID_MAX, .check = name_check},
    {"count", MEMBER_INT32, AT(count), .low = 1, .high = TIMES_MAX},
    {"from", MEMBER_INSTANT, AT(from)},
};

static const struct members body_members = MEMBERS(body_list);

enum call_step preview_begin(struct call *call)
{
    struct preview_body *body = arena_take(call->arena, sizeof *body);
    enum call_step step;

    *body = (struct preview_body){
        .id = STR("preview"), .count = TIMES_DEFAULT, .from = call->now};
    if (!request_body(call, false, &body_members, body, &step))
        return step;
    call->arg = body;
    return CALL_READ;
}

struct preview {
    const struct call *call;
    struct spec_def def;
    struct plan plan;
    struct spec_ctx ctx;
    instant from;
    struct answer out;
    int warnings;
};

static void print_times(struct preview *t, int count)
{
    const struct spec *spec = &t->plan.spec;
    struct answer *out = &t->out;
    struct spec_walk walk;
    struct slot slot;

    spec_walk_begin(&walk, spec, &t->ctx, t->from - 1);
    for (int i = 0; i < count && spec_walk_next(&walk, &slot); i++) {
        int zone = slot.entry < spec->entry_count ? spec->entries[slot.entry].zone : 0;
        char texts[3][EXPLAIN_TEXT_MAX];
        struct buf local = BUF(texts[0]), entry = BUF(texts[1]), note = BUF(texts[2]);

        instant_format_local(
            slot.due, tz_offset(spec->zones[zone].tz, instant_seconds(slot.due)), &local);
        explain_entry(spec, slot.entry, &entry);
        answer_open(out);
        answer_put_instant(out, "slot", slot.at);
        answer_put_instant(out, "due", slot.due);
        answer_put_text(out, "local", buf_as_str(&local));
        answer_put_text(out, "entry", buf_as_str(&entry));
        if (explain_note(spec, &t->ctx, &slot, &note))
            answer_put_text(out, "note", buf_as_str(&note));
        answer_text(out, "}");
    }
}

static void print_changes(struct preview *t)
{
    const struct spec *spec = &t->plan.spec;
    struct explain_change *changes = arena_array(t->call->arena, EXPLAIN_CHANGES_MAX,
                                                 sizeof *changes);
    int count = explain_changes(spec, &t->ctx, t->from, instant_after(t->from, YEAR), changes);
    struct answer *out = &t->out;

    for (int i = 0; i < count; i++) {
        answer_open(out);
        answer_put_instant(out, "at", instant_of_seconds(changes[i].at));
        answer_put_text(out, "timezone", spec->zones[changes[i].zone].name);
        answer_put_int(out, "offsetBefore", changes[i].before);
        answer_put_int(out, "offsetAfter", changes[i].after);
        answer_put_bool(out, "touches", changes[i].touches);
        if (changes[i].touches)
            answer_put_word(out, "effect", changes[i].text);
        answer_text(out, "}");
    }
}

static void print_warning(struct preview *t, struct str text)
{
    answer_text(&t->out, t->warnings++ > 0 ? "," : "");
    answer_quoted(&t->out, text);
}

/* The server's configuration may set a minimum interval. */
static void warn_of_interval(struct preview *t)
{
    span least = t->call->context->min_interval;
    char texts[2][DURATION_TEXT_MAX], text[ERR_TEXT_MAX];
    struct buf gap = BUF(texts[0]), want = BUF(texts[1]), out = BUF(text);
    struct slot first, second;

    if (!spec_next(&t->plan.spec, &t->ctx, t->from - 1, &first) ||
        !spec_next(&t->plan.spec, &t->ctx, first.at, &second) || second.at - first.at >= least)
        return;
    duration_format(second.at - first.at, &gap);
    duration_format(least, &want);
    buf_printf(&out,
               "two slots have a distance of %s; this server rejects the spec, because its "
               "minimum interval is %s",
               gap.ptr, want.ptr);
    print_warning(t, buf_as_str(&out));
}

static void print_warnings(struct preview *t, int64_t per_day)
{
    struct explain_warning *list = arena_array(t->call->arena, EXPLAIN_WARNINGS_MAX,
                                               sizeof *list);
    int count = explain_warnings(&t->plan.spec, &t->def, list);
    char text[EXPLAIN_TEXT_MAX];
    struct buf out = BUF(text);
    struct slot slot;

    for (int i = 0; i < count; i++)
        print_warning(t, str_of(list[i].text));
    for (int i = 0; i < t->plan.spec.not_named_count; i++) {
        out = BUF(text);
        if (schedule_times_warn_calendar(&t->plan.spec, &t->ctx, i, &out))
            print_warning(t, buf_as_str(&out));
    }
    out = BUF(text);
    if (run_rate_warn(t->call, per_day, &out))
        print_warning(t, buf_as_str(&out));
    warn_of_interval(t);
    if (spec_next(&t->plan.spec, &t->ctx, t->from - 1, &slot))
        return;
    out = BUF(text);
    buf_text(&out, "it never runs: ");
    explain_never(&t->plan.spec, &t->ctx, t->from - 1, &out);
    print_warning(t, buf_as_str(&out));
}

static enum rc compile_spec(struct call *call, const struct preview_body *body,
                            struct preview *t, struct err *reterr)
{
    struct buf seed = {.cap = call->namespace_name.len + body->id.len + 2};
    enum rc rc = spec_from_text(body->spec, call->arena, &t->def, reterr);

    seed.ptr = arena_take(call->arena, seed.cap);
    buf_str(&seed, call->namespace_name);
    buf_char(&seed, '/');
    buf_str(&seed, body->id);
    if (rc == RC_OK)
        rc = spec_compile(&t->def, buf_as_str(&seed), &call->context->zones, call->arena,
                          &t->plan.spec, reterr);
    if (rc == RC_OK) {
        t->plan.follows = plan_follows(&t->plan);
        t->ctx = spec_ctx(body->from);
        t->ctx.budget = call->budget;
        t->ctx.seed = buf_as_str(&seed);
        return RC_OK;
    }
    err_in(reterr, "spec");
    return reterr->rc = rc == RC_NOT_FOUND ? RC_INVALID : rc; /* not found: a time zone */
}

enum call_step preview_read(struct call *call, struct db *db)
{
    const struct preview_body *body = call->arg;
    struct preview *t = arena_take(call->arena, sizeof *t);
    struct buf words = {.ptr = arena_take(call->arena, DESCRIBE_SPEC_MAX),
                        .cap = DESCRIBE_SPEC_MAX};
    int64_t per_day;
    struct err err;

    *t = (struct preview){.call = call, .from = body->from, .out = answer_new(call->arena)};
    if (compile_spec(call, body, t, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (schedule_times_calendars(call, db, &t->plan.spec, &t->ctx, &err) != RC_OK)
        return view_failed(call, &err);
    describe_spec(&t->plan.spec, &words);
    per_day = run_rate_per_day(&t->plan, &t->ctx, t->from - 1, RUN_RATE_ROUNDS);
    answer_open(&t->out);
    answer_put_text(&t->out, "description", buf_as_str(&words));
    answer_put_text(&t->out, "timezone", t->plan.spec.zones[0].name);
    answer_text(&t->out, ",\"next\":[");
    print_times(t, body->count);
    answer_text(&t->out, "]");
    answer_put_int(&t->out, "perDay", per_day);
    answer_text(&t->out, ",\"clockChanges\":[");
    print_changes(t);
    answer_text(&t->out, "],\"warnings\":[");
    print_warnings(t, per_day);
    answer_text(&t->out, "]");
    schedule_times_jitter_note(call, &t->plan.spec, &t->out);
    answer_text(&t->out, "}");
    return call_answer(call, 200, answer_done(&t->out));
}
