/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the "state" object of a schedule.
 */
#include "model/schedule_state.h"

#include "core/outcome.h"
#include "core/policy/governor.h"
#include "core/recent.h"
#include "core/time/text.h"
#include "wire/json/json_text.h"

static bool is_active(const struct cursor *c)
{
    return !(c->flags & (CURSOR_BARRED | CURSOR_QUARANTINED | CURSOR_CLOSED | CURSOR_DELETED));
}

const char *schedule_status(const struct cursor *c)
{
    if (c->flags & (CURSOR_CLOSED | CURSOR_DELETED))
        return "closed";
    return is_active(c) ? "active" : "paused";
}

/* The names include the comma or brace before them. */

static void show_text_or_null(const char *name, struct str text, struct buf *out)
{
    buf_text(out, name);
    if (text.len > 0)
        json_write_str(out, text);
    else
        buf_text(out, "null");
}

/* A word from a table, which needs no escaping; NULL: none. */
static void show_word(const char *name, const char *word, struct buf *out)
{
    buf_text(out, name);
    if (!word) {
        buf_text(out, "null");
        return;
    }
    buf_char(out, '"');
    buf_text(out, word);
    buf_char(out, '"');
}

static void show_moment(const char *name, instant t, struct buf *out)
{
    buf_text(out, name);
    if (t == INSTANT_NONE || t == INSTANT_NEVER) {
        buf_text(out, "null");
        return;
    }
    buf_char(out, '"');
    instant_format_ms(t, out);
    buf_char(out, '"');
}

static void show_int(const char *name, int64_t n, struct buf *out)
{
    buf_text(out, name);
    json_write_int(out, n);
}

static void show_text(const char *name, struct str text, struct buf *out)
{
    buf_text(out, name);
    json_write_str(out, text);
}

/* A quarantine has no text of its own, because no user wrote one. */
static void show_reason(const struct schedule_state *state, struct buf *out)
{
    struct str reason = state->paused_reason;

    if (reason.len == 0 && (state->cursor->flags & CURSOR_QUARANTINED))
        reason = str_of(reason_text(REASON_QUARANTINED));
    show_text_or_null(",\"pausedReason\":", reason, out);
}

static void show_counters(const struct cursor *c, struct buf *out)
{
    show_int(",\"counters\":{\"started\":", c->started, out);
    show_int(",\"skipped\":", c->skipped, out);
    show_int(",\"missed\":", c->missed, out);
    show_int(",\"dropped\":", c->dropped, out);
    show_int(",\"cancelled\":", c->cancelled, out);
    show_int(",\"succeeded\":", c->succeeded, out);
    show_int(",\"failed\":", c->failed, out);
    buf_char(out, '}');
}

static void show_lateness(const struct cursor *c, struct buf *out)
{
    buf_text(out, ",\"lastLateness\":");
    if (c->last_late == CURSOR_LATE_UNKNOWN) {
        buf_text(out, "null");
        return;
    }
    buf_char(out, '"');
    duration_format(c->last_late, out);
    buf_char(out, '"');
}

/* How the last runs ended. */
static void show_recent(const struct cursor *c, struct buf *out)
{
    show_moment(",\"lastSuccessAt\":", c->last_ok, out);
    show_lateness(c, out);
    buf_text(out, ",\"recent\":\"");
    recent_format(c->recent, out);
    buf_char(out, '"');
}

/* INSTANT_NONE: it is not paused; INSTANT_NEVER: it is, without an end. */
static instant pause_end(const struct cursor *c)
{
    return c->flags & CURSOR_PAUSED ? c->paused_until : INSTANT_NONE;
}

instant schedule_next_at(const struct cursor *c)
{
    bool is_stopped = c->flags &
                      (CURSOR_DISABLED | CURSOR_QUARANTINED | CURSOR_CLOSED | CURSOR_DELETED);
    instant until = pause_end(c), at = c->next_at > until ? c->next_at : until;

    return is_stopped || c->next_at == INSTANT_NEVER ? INSTANT_NEVER : at;
}

/* The time of the next run and what determines it, which can be the end of a pause. */
static void show_next(const struct schedule_state *state, struct buf *out)
{
    const struct cursor *c = state->cursor;
    instant at = schedule_next_at(c);
    enum source source = c->next_at >= pause_end(c) ? (enum source)c->source : SOURCE_PAUSED;

    show_moment(",\"nextAt\":", at, out);
    show_word(",\"nextSource\":", at == INSTANT_NEVER ? NULL : source_text(source), out);
    if (state->no_next.len > 0)
        show_text(",\"noNextReason\":", state->no_next, out);
}

void schedule_state_show(const struct schedule_state *state, struct buf *out)
{
    const struct cursor *c = state->cursor;
    enum outcome last = (enum outcome)c->last_outcome;

    show_word("{\"status\":", schedule_status(c), out);
    show_reason(state, out);
    show_moment(",\"pausedUntil\":", pause_end(c), out);
    show_next(state, out);
    show_moment(",\"mark\":", c->mark, out);
    show_int(",\"open\":", c->open, out);
    show_int(",\"waiting\":", c->waiting, out);
    show_int(",\"failures\":", c->failures, out);
    show_word(",\"lastOutcome\":", last == OUTCOME_NONE ? NULL : outcome_text(last), out);
    show_moment(",\"lastRunAt\":", c->last_start, out);
    show_text_or_null(",\"lastRunId\":", state->last_run, out);
    show_recent(c, out);
    show_counters(c, out);
    show_int(",\"version\":", c->version, out);
    show_text(",\"dialect\":", state->dialect, out);
    show_moment(",\"createdAt\":", state->created_at, out);
    show_text(",\"createdBy\":", state->created_by, out);
    show_moment(",\"updatedAt\":", state->updated_at, out);
    show_text(",\"updatedBy\":", state->updated_by, out);
    for (int i = 0; i < state->warning_count; i++)
        show_text(i == 0 ? ",\"warnings\":[" : ",", state->warnings[i], out);
    if (state->warning_count > 0)
        buf_char(out, ']');
    buf_char(out, '}');
}
