/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Previews: the next times of an expression and of a schedule, in ascending milliseconds.
 */
#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "api/schedules/schedule_times.h"

enum {
    PREVIEW_DEFAULT = 5,
    PREVIEW_MAX = 5, /* as in Conductor */
    NEXT_DEFAULT = 5,
    NEXT_MAX = 1000, /* limits the time that one answer takes */
    EXPR_MAX = 1024, /* bytes of an expression with "0 " before it */
};

static enum rc read_time(const struct call *call, const char *name, instant *ret,
                         struct err *reterr)
{
    if (conductor_parse_time(request_query(call, name), ret, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "%s", name);
}

static enum call_step answer_times(struct call *call, const struct spec *spec,
                                   const struct spec_ctx *ctx, instant after, int64_t limit)
{
    struct answer out = answer_new(call->arena);
    struct spec_walk walk;
    struct slot slot;

    answer_text(&out, "[");
    spec_walk_begin(&walk, spec, ctx, after);
    for (int64_t i = 0; i < limit && spec_walk_next(&walk, &slot); i++) {
        if (i > 0)
            answer_text(&out, ",");
        answer_int(&out, floor_div(slot.at, SPAN_MS));
    }
    answer_text(&out, "]");
    return call_answer(call, 200, answer_done(&out));
}

enum call_step conductor_preview_begin(struct call *call)
{
    struct str expr = str_trim(request_query(call, "cronExpression"));
    char text[EXPR_MAX];
    struct buf room = BUF(text);
    struct cron_def cron = {.dialect = DIALECT_SPRING};
    struct spec_def def = spec_def_empty();
    struct spec_ctx ctx = spec_ctx(call->now);
    int64_t limit = PREVIEW_DEFAULT;
    struct spec spec;
    struct err err, why;

    if (expr.len == 0)
        return call_problem(call, 400, "invalid_field", "cronExpression is required");
    if (read_time(call, "scheduleStartTime", &def.start, &err) != RC_OK ||
        read_time(call, "scheduleEndTime", &def.end, &err) != RC_OK ||
        conductor_read_param(call, "limit", PREVIEW_MAX, &limit, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    cron.expr = arena_str(call->arena, cron_seconds_first(expr, &room));
    def.cron = &cron;
    def.cron_count = 1;
    ctx.budget = call->budget;
    if (spec_compile(&def, STR(""), &call->context->zones, call->arena, &spec, &why) != RC_OK)
        return call_problem(call, 400, "invalid_spec", "Invalid cron expression '%.*s': %s",
                            STR_ARG(expr), why.text);
    return answer_times(call, &spec, &ctx, call->now, limit);
}

enum call_step conductor_next_begin(struct call *call)
{
    int64_t *count = arena_take(call->arena, sizeof *count);
    struct err err;

    *count = NEXT_DEFAULT;
    call->arg = count;
    if (conductor_read_param(call, "count", NEXT_MAX, count, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return conductor_get_begin(call);
}

/* The times of the expression from now on; a pause and scheduleStartTime are ignored. */
enum call_step conductor_next_read(struct call *call, struct db *db)
{
    const int64_t *count = call->arg;
    struct schedule_times times = {0};
    struct err err;

    if (schedule_times_read(call, db, &times, &err) != RC_OK)
        return conductor_failed(call, &err);
    if (times.view.row.dialect != DIALECTS_CONDUCTOR)
        return conductor_missing(call, call->params[0]);
    times.plan.spec.start = INSTANT_NONE;
    return answer_times(call, &times.plan.spec, &times.ctx, call->now, *count);
}
