/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes simple specs (cron expressions, intervals, a zone) as text without intermediate
 * values; nearly every schedule has one.  The text must be identical to that of spec_to_json().
 */
#include "core/time/text.h"
#include "model/spec_json.h"
#include "wire/json/json_text.h"

static void write_cron(const struct cron_def *def, struct buf *out)
{
    if (def->dialect == DIALECT_BELFRY && def->zone.len == 0) {
        json_write_str(out, def->expr);
        return;
    }
    buf_text(out, "{\"expr\":");
    json_write_str(out, def->expr);
    if (def->dialect != DIALECT_BELFRY) {
        buf_text(out, ",\"dialect\":");
        json_write_str(out, str_of(dialect_text(def->dialect)));
    }
    if (def->zone.len > 0) {
        buf_text(out, ",\"timezone\":");
        json_write_str(out, def->zone);
    }
    buf_char(out, '}');
}

static void write_interval(const struct interval_def *def, struct buf *out)
{
    buf_text(out, "{\"every\":\"");
    duration_format(def->every, out);
    if (def->phase != 0) {
        buf_text(out, "\",\"phase\":\"");
        duration_format(def->phase, out);
    }
    if (def->anchor != ANCHOR_EPOCH) {
        buf_text(out, "\",\"anchor\":\"");
        buf_text(out, anchor_text(def->anchor));
    }
    buf_text(out, "\"}");
}

static bool has_other_parts(const struct spec_def *def)
{
    return def->calendar_count > 0 || def->time_count > 0 || def->at_count > 0 ||
           def->not_calendar_count > 0 || def->not_date_count > 0 || def->not_named_count > 0 ||
           def->shift != SHIFT_NONE || def->start != INSTANT_NONE ||
           def->end != INSTANT_NEVER || def->window.is_set || def->dst.name != DST_DEFAULT ||
           def->jitter != 0;
}

bool spec_write(const struct spec_def *def, struct buf *out)
{
    const char *before = "{";

    if (has_other_parts(def))
        return false;
    for (int i = 0; i < def->cron_count; i++) {
        buf_text(out, i == 0 ? "{\"cron\":[" : ",");
        write_cron(&def->cron[i], out);
    }
    if (def->cron_count > 0) {
        buf_char(out, ']');
        before = ",";
    }
    for (int i = 0; i < def->interval_count; i++) {
        buf_text(out, i == 0 ? before : ",");
        buf_text(out, i == 0 ? "\"intervals\":[" : "");
        write_interval(&def->intervals[i], out);
    }
    if (def->interval_count > 0) {
        buf_char(out, ']');
        before = ",";
    }
    if (def->zone.len > 0 && !str_eq(def->zone, STR("UTC"))) {
        buf_text(out, before);
        buf_text(out, "\"timezone\":");
        json_write_str(out, def->zone);
        before = ",";
    }
    buf_text(out, before[0] == '{' ? "{}" : "}");
    return !out->cut;
}
