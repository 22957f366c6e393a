/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles the query of one batch line and prints its times or its error as JSON.
 */
#include "cli/time/batch_line.h"

#include "core/spec/spec.h"
#include "core/time/text.h"
#include "model/spec_json.h"
#include "model/temporal_codec.h"

/* A spec with one expression, stored in `cron`. */
static struct spec_def def_of_expr(const struct batch_query *q, struct cron_def *cron)
{
    struct spec_def def = spec_def_empty();

    *cron = (struct cron_def){.expr = q->expr, .dialect = q->dialect};
    def.cron = cron;
    def.cron_count = 1;
    if (q->dialect == DIALECT_TEMPORAL)
        def.end = TEMPORAL_HORIZON;
    return def;
}

static enum rc read_def(struct batch *batch, const struct batch_query *q, struct cron_def *cron,
                        struct spec_def *ret, struct err *reterr)
{
    enum rc rc = RC_OK;

    if (!q->spec)
        *ret = def_of_expr(q, cron);
    else if (q->dialect == DIALECT_TEMPORAL)
        rc = temporal_def_from_json(q->spec, batch->arena, ret, reterr);
    else
        rc = spec_from_json(q->spec, batch->arena, ret, reterr);
    if (rc != RC_OK)
        return rc;
    if (ret->zone.len == 0)
        ret->zone = q->zone;
    if (ret->dst.name == DST_DEFAULT)
        ret->dst = q->dst;
    return RC_OK;
}

static enum rc compile(struct batch *batch, const struct batch_query *q, struct spec *ret,
                       struct err *reterr)
{
    struct zone_source zones = {zoneinfo_find_in, &batch->zones};
    struct cron_def cron;
    struct spec_def def;
    enum rc rc = read_def(batch, q, &cron, &def, reterr);

    if (rc == RC_OK)
        rc = spec_compile(&def, q->seed, &zones, batch->arena, ret, reterr);
    if (rc != RC_OK && q->spec)
        err_in(reterr, "spec");
    else if (rc != RC_OK)
        /* There is only one expression, so "at" is enough. */
        reterr->field[0] = '\0';
    return rc;
}

static void end_with_error(struct batch *batch, const struct err *err)
{
    struct str text = str_of(err->text);

    /* The JSON reader sees each line as a text of its own, so it is always line 1. */
    if (str_starts(text, STR("line 1, ")))
        text = str_from(text, sizeof "line 1, " - 1);
    printer_text(batch->out, ",\"error\":");
    printer_json(batch->out, text);
    if (err->field[0] != '\0') {
        printer_text(batch->out, ",\"field\":");
        printer_json(batch->out, str_of(err->field));
    }
    if (err->at >= 0)
        printer_printf(batch->out, ",\"at\":%d", err->at);
    printer_text(batch->out, "}\n");
}

void batch_refuse(struct batch *batch, const struct err *err)
{
    printer_printf(batch->out, "{\"line\":%lld", (long long)batch->line);
    end_with_error(batch, err);
}

static void end_with_times(struct batch *batch, const struct batch_query *q,
                           const struct spec *spec)
{
    struct spec_ctx ctx = spec_ctx(q->after);
    struct spec_walk walk;
    struct slot slot;

    ctx.seed = q->seed;
    printer_text(batch->out, ",\"times\":[");
    spec_walk_begin(&walk, spec, &ctx, q->after);
    for (int i = 0; i < q->n && spec_walk_next(&walk, &slot); i++) {
        char text[INSTANT_TEXT_MAX + 4];
        struct buf time = BUF(text);

        buf_text(&time, i == 0 ? "\"" : ",\"");
        instant_format(slot.due, &time);
        buf_char(&time, '"');
        printer_str(batch->out, buf_as_str(&time));
    }
    printer_text(batch->out, "]}\n");
}

static void answer(struct batch *batch, const struct batch_query *q)
{
    struct spec spec;
    struct err err;
    enum rc rc = compile(batch, q, &spec, &err);

    printer_text(batch->out, "{\"id\":");
    printer_str(batch->out, q->id.len > 0 ? q->id : STR("null"));
    if (rc == RC_OK)
        end_with_times(batch, q, &spec);
    else
        end_with_error(batch, &err);
}

/* The line is invalid, or has more than plain strings and numbers. */
static void answer_parsed(struct batch *batch, struct str line)
{
    struct batch_query q = batch->defaults;
    json_auto_t *json = NULL;
    struct err err;
    enum rc rc = json_read(line, &json, &err);

    if (rc == RC_OK && !json_is_object(json))
        rc = json_wrong_type(json, "an object such as {\"expr\":\"@daily\"}", &err);
    if (rc != RC_OK) {
        batch_refuse(batch, &err);
        return;
    }
    rc = batch_query_read(json, batch->id_room, &q, &err);
    if (rc == RC_OK) {
        answer(batch, &q);
    } else if (q.id.len > 0) {
        printer_text(batch->out, "{\"id\":");
        printer_str(batch->out, q.id);
        end_with_error(batch, &err);
    } else {
        batch_refuse(batch, &err);
    }
}

void batch_line(struct batch *batch, struct str line)
{
    struct batch_query q = batch->defaults;

    arena_reset(batch->arena);
    if (batch_query_scan(line, &q))
        answer(batch, &q);
    else
        answer_parsed(batch, line);
}
