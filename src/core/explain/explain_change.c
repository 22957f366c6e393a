/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains clock changes: which wall-clock times they skip or repeat, and what happens to them.
 */
#include "base/must.h"
#include "core/describe/describe_words.h"
#include "core/explain/explain_parts.h"
#include "core/time/text.h"

enum { TIMES_SHOWN = 4 }; /* wall-clock times, then "and N more" */

/* Offsets are limited, so the change of a fold or gap is at most this far from its times. */
#define NEAR INT64_C(2 * 26 * 3600)

bool explain_change_near(const struct tz *tz, int64_t s, struct clock_change *ret)
{
    enum clock_effect effect = local_clock_effect(tz, s);
    bool is_past = effect == EFFECT_AFTER_GAP || effect == EFFECT_FOLD_SECOND;
    int64_t from = is_past ? s - NEAR : s;
    struct clock_change found;
    bool has_found = false;

    if (effect == EFFECT_NONE)
        return false;
    while (tz_next_change(tz, from, &found.at, &found.before, &found.after)) {
        if (is_past && found.at > s)
            break;
        *ret = found;
        has_found = true;
        if (!is_past)
            break;
        from = found.at;
    }
    return has_found;
}

/* Writes a local second as a time of day. */
static void write_time(struct buf *out, int64_t local)
{
    time_of_day_format((int32_t)(local - floor_div(local, DAY_SECONDS) * DAY_SECONDS), out);
}

/* Lists the matching local times in [from, to); returns how many there are. */
static int write_times(const struct entry *entry, int64_t from, int64_t to, struct buf *out)
{
    int count = 0, named = 0;

    for (int64_t l = from; (l = explain_local_next(entry, l)) < to; l++)
        count++;
    for (int64_t l = from; named < TIMES_SHOWN && (l = explain_local_next(entry, l)) < to;
         l++) {
        bool is_last = named + 1 == count;

        buf_text(out, named == 0 ? "" : is_last ? " and " : ", ");
        write_time(out, l);
        named++;
    }
    if (count > named)
        buf_printf(out, " and %d more", count - named);
    return count;
}

/* What the rule does with `n` times that the change skips: "runs at 03:00". */
static void write_gap_result(const struct entry *entry, const struct clock_change *change,
                             int n, struct buf *out)
{
    int64_t from = change->at + change->before, to = change->at + change->after;

    if (entry->dst.gap == GAP_SKIP || to - from > GAP_SHORT_MAX) {
        buf_text(out, "skipped");
    } else if (entry->dst.gap == GAP_NEXT) {
        buf_text(out, n == 1 ? "runs at " : "run once, at ");
        write_time(out, to);
    } else {
        buf_text(out, n == 1 ? "runs at " : "run later, the first at ");
        write_time(out, explain_local_next(entry, from) + change->after - change->before);
    }
}

static int write_skipped(const struct entry *entry, const struct clock_change *change,
                         struct buf *out)
{
    int n = write_times(entry, change->at + change->before, change->at + change->after, out);

    if (n > 0) {
        buf_text(out, n == 1 ? " does not exist that day: " : " do not exist that day: ");
        write_gap_result(entry, change, n, out);
    }
    return n;
}

static int write_repeated(const struct entry *entry, const struct clock_change *change,
                          struct buf *out)
{
    static const char *const what[] = {[FOLD_FIRST] = "the first time only",
                                       [FOLD_LAST] = "the second time only",
                                       [FOLD_BOTH] = "both times"};
    int n = write_times(entry, change->at + change->after, change->at + change->before, out);

    if (n > 0)
        buf_printf(out,
                   n == 1 ? " comes twice that day: runs %s" : " come twice that day: run %s",
                   what[entry->dst.fold]);
    return n;
}

int explain_affected_times(const struct entry *entry, const struct clock_change *change,
                           struct buf *out)
{
    must(explain_is_pattern(entry));
    return change->after > change->before ? write_skipped(entry, change, out)
                                          : write_repeated(entry, change, out);
}

static void note_fold(const struct entry *entry, const struct tz *tz, int64_t s, bool is_first,
                      struct buf *out)
{
    write_time(out, s + tz_offset(tz, s));
    buf_printf(out, " comes twice that day: this is the %s", is_first ? "first" : "second");
    if (entry->dst.fold != FOLD_BOTH)
        buf_text(out, ", the only one to run");
}

static bool note_gap(const struct entry *entry, const struct tz *tz, int64_t s, struct buf *out)
{
    struct clock_change change;
    int64_t local = s + tz_offset(tz, s);

    if (entry->dst.gap == GAP_SKIP || !explain_change_near(tz, s, &change))
        return false;
    /* GAP_SHIFT moves each time separately; GAP_NEXT moves all to the first second. */
    if (entry->dst.gap == GAP_SHIFT) {
        int64_t moved = s + change.before;

        if (explain_local_next(entry, moved) != moved)
            return false;
        write_time(out, moved);
        buf_text(out, " does not exist that day: runs at ");
        write_time(out, local);
        return true;
    }
    return s == change.at && write_skipped(entry, &change, out) > 0;
}

static bool note_clock(const struct entry *entry, const struct tz *tz, int64_t s,
                       struct buf *out)
{
    switch (local_clock_effect(tz, s)) {
    case EFFECT_AFTER_GAP:
        return note_gap(entry, tz, s, out);
    case EFFECT_FOLD_FIRST:
        note_fold(entry, tz, s, true, out);
        return true;
    case EFFECT_FOLD_SECOND:
        note_fold(entry, tz, s, false, out);
        return true;
    case EFFECT_NONE:
        return false;
    }
    return false;
}

static bool moves_slots(const struct spec *spec)
{
    return spec->shift != SHIFT_NONE ||
           (spec->window.is_set && spec->window.rule == WINDOW_CLAMP);
}

bool explain_note(const struct spec *spec, const struct spec_ctx *ctx, const struct slot *slot,
                  struct buf *out)
{
    const struct entry *entry;
    int64_t s = instant_seconds(slot->at);

    if (moves_slots(spec) && !explain_is_raw(spec, ctx, slot->entry, slot->at)) {
        int64_t local = s + tz_offset(spec->zones[0].tz, s);
        int64_t tod = local - floor_div(local, DAY_SECONDS) * DAY_SECONDS;
        bool by_window = spec->window.is_set && spec->window.rule == WINDOW_CLAMP &&
                         tod == spec->window.from;

        buf_text(out, by_window ? "moved into the window" : "moved from an excluded day");
        return true;
    }
    if (slot->entry >= spec->entry_count)
        return false;
    entry = &spec->entries[slot->entry];
    return explain_is_pattern(entry) && note_clock(entry, spec->zones[entry->zone].tz, s, out);
}

int explain_local(const struct spec *spec, int64_t local, instant ret[2])
{
    const struct tz *tz = spec->zones[0].tz;
    int64_t s = tz_utc_of_local(tz, local);
    struct clock_change change;

    if (s + tz_offset(tz, s) != local)
        return 0;
    ret[0] = instant_of_seconds(s);
    if (local_clock_effect(tz, s) != EFFECT_FOLD_FIRST || !explain_change_near(tz, s, &change))
        return 1;
    ret[1] = instant_of_seconds(local - change.after);
    return 2;
}

/* What the rule does with one local time in the gap. */
static void write_moved_or_skipped(const struct entry *entry, const struct clock_change *change,
                                   int64_t local, struct buf *out)
{
    int32_t length = change->after - change->before;

    if (entry->dst.gap == GAP_SKIP || length > GAP_SHORT_MAX) {
        buf_text(out, "is skipped");
        return;
    }
    buf_text(out, "runs at ");
    write_time(out, entry->dst.gap == GAP_NEXT ? change->at + change->after : local + length);
    buf_text(out, " instead");
}

void explain_gap(const struct spec *spec, const struct spec_ctx *ctx, int64_t local,
                 struct explain *ret)
{
    const struct spec_zone *zone = &spec->zones[0];
    /* The first second after the gap, and so the change itself. */
    int64_t s = tz_utc_of_local(zone->tz, local);
    struct buf out = BUF(ret->text);
    struct clock_change change;
    bool is_found = explain_change_near(zone->tz, s, &change);

    must(is_found && change.at == s);
    ret->why = WHY_GAP;
    ret->entry = -1;
    ret->has_prev = spec_prev(spec, ctx, instant_of_seconds(s), &ret->prev);
    ret->has_next = spec_next(spec, ctx, instant_of_seconds(s) - 1, &ret->next);
    words_moment(&out, local);
    buf_text(&out, " does not exist in ");
    buf_str(&out, zone->name);
    buf_text(&out, ": clocks go from ");
    write_time(&out, s + change.before);
    buf_text(&out, " to ");
    write_time(&out, s + change.after);
    for (int i = 0; i < spec->entry_count && ret->entry < 0; i++) {
        const struct entry *entry = &spec->entries[i];

        if (explain_is_pattern(entry) && entry->zone == 0 &&
            explain_local_next(entry, local) == local)
            ret->entry = i;
    }
    if (ret->entry < 0) {
        buf_text(&out, "; no entry has this time");
        return;
    }
    buf_text(&out, "; the slot ");
    write_moved_or_skipped(&spec->entries[ret->entry], &change, local, &out);
}

/* A change does not matter at a time that the spec removes. */
static bool is_removed(const struct spec *spec, const struct spec_ctx *ctx, int64_t s)
{
    struct spec open = *spec;
    struct explain scratch;

    open.window.is_set = false;
    return explain_removal(&open, ctx, instant_of_seconds(s), &scratch);
}

static bool window_has(const struct window_def *window, int64_t local)
{
    int32_t tod = (int32_t)(local - floor_div(local, DAY_SECONDS) * DAY_SECONDS);

    if (window->from <= window->to)
        return tod >= window->from && tod <= window->to;
    return tod >= window->from || tod <= window->to;
}

/* False if all affected times are outside the window, which removes or moves them anyway. */
static bool is_in_window(const struct spec *spec, const struct entry *entry,
                         const struct clock_change *change)
{
    bool is_gap = change->after > change->before;
    int64_t l = change->at + (is_gap ? change->before : change->after);
    int64_t to = change->at + (is_gap ? change->after : change->before);

    if (!spec->window.is_set || entry->zone != 0)
        return true;
    for (; (l = explain_local_next(entry, l)) < to; l++)
        if (window_has(&spec->window, l))
            return true;
    return false;
}

static bool is_affected(const struct entry *entry, int zone)
{
    return entry->zone == zone &&
           (explain_is_pattern(entry) || entry->interval.anchor == ANCHOR_MIDNIGHT);
}

const char *explain_effect_text(enum explain_effect effect)
{
    static const char *const texts[] = {[EXPLAIN_SKIPPED] = "skipped",
                                        [EXPLAIN_REPEATED] = "repeated",
                                        [EXPLAIN_MOVED] = "moved",
                                        [EXPLAIN_ONCE] = "once",
                                        [EXPLAIN_NOTHING] = NULL};

    return texts[effect];
}

static enum explain_effect effect_of(const struct entry *entry,
                                     const struct clock_change *change)
{
    if (!explain_is_pattern(entry))
        return EXPLAIN_MOVED;
    if (change->after < change->before)
        return entry->dst.fold == FOLD_BOTH ? EXPLAIN_REPEATED : EXPLAIN_ONCE;
    return entry->dst.gap == GAP_SKIP || change->after - change->before > GAP_SHORT_MAX
               ? EXPLAIN_SKIPPED
               : EXPLAIN_MOVED;
}

static void add_entry(const struct spec *spec, int i, struct explain_change *ret,
                      struct buf *out)
{
    const struct entry *entry = &spec->entries[i];
    struct clock_change change = {ret->at, ret->before, ret->after};
    size_t before = out->len;
    bool touched;

    buf_text(out, ret->touches ? "; " : "");
    if (explain_count(spec) > 1) {
        explain_entry(spec, i, out);
        buf_text(out, ": ");
    }
    if (explain_is_pattern(entry)) {
        touched = is_in_window(spec, entry, &change) &&
                  explain_affected_times(entry, &change, out) > 0;
    } else {
        touched = true;
        buf_text(out, "that day is ");
        duration_format(SPAN_DAY - (ret->after - ret->before) * SPAN_S, out);
        buf_text(out, " long, and the interval counts elapsed time");
    }
    if (touched && effect_of(entry, &change) < ret->effect)
        ret->effect = effect_of(entry, &change);
    ret->touches = ret->touches || touched;
    if (!touched) {
        out->len = before;
        out->ptr[before] = '\0';
    }
}

static bool zone_is_used(const struct spec *spec, int zone)
{
    for (int i = 0; i < spec->entry_count; i++)
        if (is_affected(&spec->entries[i], zone))
            return true;
    return false;
}

static void fill_change(const struct spec *spec, const struct spec_ctx *ctx,
                        struct explain_change *change)
{
    struct buf out = BUF(change->text);

    change->text[0] = '\0';
    change->effect = EXPLAIN_NOTHING;
    for (int i = 0; i < spec->entry_count && !is_removed(spec, ctx, change->at); i++)
        if (is_affected(&spec->entries[i], change->zone))
            add_entry(spec, i, change, &out);
}

int explain_changes(const struct spec *spec, const struct spec_ctx *ctx, instant from,
                    instant until, struct explain_change ret[static EXPLAIN_CHANGES_MAX])
{
    int count = 0;

    for (int zone = 0; zone < spec->zone_count; zone++) {
        int64_t s = instant_seconds(from);

        while (zone_is_used(spec, zone) && count < EXPLAIN_CHANGES_MAX) {
            struct explain_change change = {.zone = zone};

            if (!tz_next_change(spec->zones[zone].tz, s, &change.at, &change.before,
                                &change.after) ||
                change.at > instant_seconds(until))
                break;
            s = change.at;
            ret[count] = change;
            fill_change(spec, ctx, &ret[count++]);
        }
    }
    return count;
}

static bool is_slot_of(const struct spec *spec, const struct spec_ctx *ctx,
                       const struct explain_change *change, const struct slot *slot)
{
    char text[EXPLAIN_TEXT_MAX];
    struct buf note = BUF(text);

    return slot->entry < spec->entry_count && spec->entries[slot->entry].zone == change->zone &&
           explain_note(spec, ctx, slot, &note);
}

int explain_change_slots(const struct spec *spec, const struct spec_ctx *ctx,
                         const struct explain_change *change, int most, instant *ret)
{
    int32_t length = change->after > change->before ? change->after - change->before
                                                    : change->before - change->after;
    struct spec_walk walk;
    struct slot slot;
    int count = 0;

    spec_walk_begin(&walk, spec, ctx, instant_of_seconds(change->at - length) - 1);
    while (count < most && spec_walk_next(&walk, &slot) &&
           slot.at < instant_of_seconds(change->at + length))
        if (is_slot_of(spec, ctx, change, &slot))
            ret[count++] = slot.at;
    return count;
}
