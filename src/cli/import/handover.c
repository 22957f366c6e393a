/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes and boundaries of schedules that move to Belfry.
 */
#include "cli/import/handover.h"

#include "core/time/text.h"

#define THERE      "taken over by Belfry; slots after "
#define THERE_TAIL " run there"
#define HERE       "imported "
#define HERE_TAIL  "; paused until it is taken over"
#define KEPT       "; note: "

enum { HEX_DIGITS = 16 };

static void add_note(struct str note, struct buf *out)
{
    if (note.len == 0)
        return;
    buf_text(out, KEPT);
    buf_str(out, str_head(note, HANDOVER_KEPT_MAX));
}

/* Takes the rest of our note: its fixed tail, and the former note if there is one. */
static bool read_tail(struct str rest, struct str tail, struct str *ret_note)
{
    if (!str_starts(rest, tail))
        return false;
    rest = str_from(rest, tail.len);
    *ret_note = str_starts(rest, STR(KEPT)) ? str_from(rest, sizeof KEPT - 1) : STR("");
    return rest.len == 0 || ret_note->len > 0;
}

void handover_note_there(instant bound, struct str note, struct buf *out)
{
    buf_text(out, THERE);
    instant_format_ms(bound, out);
    buf_text(out, THERE_TAIL);
    add_note(note, out);
}

bool handover_read_there(struct str text, instant *ret_bound, struct str *ret_note)
{
    struct str time, rest, note;
    instant bound;
    struct err err;

    if (!str_starts(text, STR(THERE)))
        return false;
    str_cut(str_from(text, sizeof THERE - 1), ' ', &time, &rest);
    rest = str_from(text, (size_t)(time.ptr + time.len - text.ptr));
    if (instant_parse(time, &bound, &err) != RC_OK || !read_tail(rest, STR(THERE_TAIL), &note))
        return false;
    *ret_bound = bound;
    *ret_note = note;
    return true;
}

void handover_note_here(uint64_t print, struct str note, struct buf *out)
{
    buf_text(out, HERE);
    buf_hex(out, print);
    buf_text(out, HERE_TAIL);
    add_note(note, out);
}

static bool read_hex(struct str text, uint64_t *ret)
{
    uint64_t n = 0;

    if (text.len < HEX_DIGITS)
        return false;
    for (size_t i = 0; i < HEX_DIGITS; i++) {
        char c = text.ptr[i];
        bool is_letter = c >= 'a' && c <= 'f';

        if (!char_is_digit(c) && !is_letter)
            return false;
        n = n << 4 | (uint64_t)(is_letter ? c - 'a' + 10 : c - '0');
    }
    *ret = n;
    return true;
}

bool handover_read_here(struct str text, uint64_t *ret_print, struct str *ret_note)
{
    struct str rest, note;
    uint64_t print;

    if (!str_starts(text, STR(HERE)))
        return false;
    rest = str_from(text, sizeof HERE - 1);
    if (!read_hex(rest, &print) ||
        !read_tail(str_from(rest, HEX_DIGITS), STR(HERE_TAIL), &note))
        return false;
    *ret_print = print;
    *ret_note = note;
    return true;
}

/* ---- the moment ---- */

bool handover_is_quiet(const instant *times, int count, instant now)
{
    for (int i = 0; i < count; i++)
        if (times[i] > now - HANDOVER_QUIET && times[i] < now + HANDOVER_SOON)
            return false;
    return true;
}

bool handover_can_wait(const instant *times, int count, bool has_more, instant now)
{
    for (int i = 0; i < count; i++)
        if (times[i] >= now - HANDOVER_QUIET && i + 1 < count &&
            times[i + 1] - times[i] > HANDOVER_QUIET + HANDOVER_SOON)
            return true;
    return !has_more;
}

static instant min_of(instant a, instant b)
{
    return a < b ? a : b;
}

/* To the millisecond, as notes are written. */
static instant floor_ms(instant t)
{
    return t - ((t % SPAN_MS) + SPAN_MS) % SPAN_MS;
}

instant handover_bound(instant now, instant next, bool skips)
{
    instant decided = skips ? now : now - HANDOVER_QUIET;

    return floor_ms(next == INSTANT_NEVER ? decided : min_of(decided, next - SPAN_MS));
}

/* ---- the boundary ---- */

/*
 * With jitter, a nominal time before the bound may be due after it.  All nominal times after a
 * due time are later than it.
 */
static instant first_last(const struct handover_evidence *e)
{
    instant last = floor_ms(e->bound - e->jitter - SPAN_MS);

    if (e->jitter == 0)
        return floor_ms(e->bound);
    for (int i = 0; i < e->time_count; i++)
        if (e->times[i] <= e->bound && e->times[i] > last)
            last = floor_ms(e->times[i]);
    return last;
}

/* The slot of a start: some servers show nominal times, others those with jitter. */
static bool find_slot(const struct handover_evidence *e, instant started, instant *ret)
{
    *ret = started;
    if (!e->times)
        return true;
    for (int i = 0; i < e->time_count; i++)
        if (e->times[i] > started - SPAN_MS && e->times[i] < started + e->jitter + SPAN_MS) {
            *ret = e->times[i];
            return true;
        }
    return false;
}

instant handover_last(const struct handover_evidence *evidence)
{
    instant last = first_last(evidence), slot;

    for (int i = 0; i < evidence->started_count; i++)
        if (find_slot(evidence, evidence->started[i], &slot) && slot > last)
            last = floor_ms(slot);
    return last;
}
