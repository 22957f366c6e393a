/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of a move: each phase does one step for all schedules of a group.
 */
#include "cli/import/move.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "cli/frame/report.h"
#include "io/clock.h"

#define ARENA_MAX   ((size_t)2 << 30) /* a group of the largest messages */
#define QUIET_TRIES (30 * SPAN_S)     /* how long to wait for a quiet moment */

enum { IDS_FIRST = 1024, QUIET_POLL_MS = 100 };

void move_add_id(struct move *move, struct str id)
{
    if (move->id_count == move->id_room) {
        move->id_room = move->id_room > 0 ? 2 * move->id_room : IDS_FIRST;
        move->ids = realloc(move->ids, (size_t)move->id_room * sizeof *move->ids);
        must(move->ids);
    }
    move->ids[move->id_count++] = arena_str(move->ids_arena, id);
}

void moved_end(struct moved *one, enum move_result result, const char *fmt, ...)
{
    va_list list;

    if (one->is_done)
        return;
    one->is_done = true;
    one->result = result;
    va_start(list, fmt);
    vsnprintf(one->text, sizeof one->text, fmt, list);
    va_end(list);
    /* The text of another server may be cut, or not be UTF-8. */
    if (!str_is_utf8(str_of(one->text)))
        for (char *c = one->text; *c != '\0'; c++)
            *c = (unsigned char)*c < 0x80 ? *c : '?';
}

void moved_read_note(struct moved *one, struct str note, bool is_paused)
{
    one->is_paused = is_paused;
    one->note = note;
    one->is_left = is_paused && handover_read_there(note, &one->bound, &one->note);
}

/* ---- comparison ---- */

/* With jitter, both servers delay each slot by a different amount. */
static bool are_equal(const struct moved *one)
{
    const struct move_times *a = &one->times_there, *b = &one->times_here;

    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++) {
        span distance = a->at[i] > b->at[i] ? a->at[i] - b->at[i] : b->at[i] - a->at[i];

        if (distance > one->jitter)
            return false;
    }
    return true;
}

/* Removes the times that have passed while the other server was asked. */
static void drop_passed(struct move_times *times, instant now)
{
    int passed = 0;

    while (passed < times->count && times->at[passed] <= now)
        passed++;
    times->count -= passed;
    memmove(times->at, &times->at[passed], (size_t)times->count * sizeof times->at[0]);
}

/* Both lists begin at the same time, and end together if one of them was limited. */
static void align_times(struct moved *list, int count)
{
    instant now = clock_now();

    for (int i = 0; i < count; i++) {
        struct move_times *a = &list[i].times_there, *b = &list[i].times_here;
        bool is_limited = a->count == HANDOVER_TIMES || b->count == HANDOVER_TIMES || a->is_cut;

        drop_passed(a, now);
        drop_passed(b, now);
        if (a->count > 0 && b->count > 0 && list[i].jitter > 0) {
            /* One server may already have passed a slot that the other delays. */
            drop_passed(a, b->at[0] - list[i].jitter - 1);
            drop_passed(b, a->count > 0 ? a->at[0] - list[i].jitter - 1 : INSTANT_NONE);
        }
        if (is_limited && a->is_known && b->is_known)
            a->count = b->count = a->count < b->count ? a->count : b->count;
        a->is_cut = b->is_cut = is_limited;
        a->count = a->count < HANDOVER_SHOWN ? a->count : HANDOVER_SHOWN;
        b->count = b->count < HANDOVER_SHOWN ? b->count : HANDOVER_SHOWN;
    }
}

static void compare(struct moved *list, int count)
{
    align_times(list, count);
    for (int i = 0; i < count; i++)
        list[i].is_equal = are_equal(&list[i]);
}

/* ---- take-over ---- */

static bool is_known_equal(const struct moved *one)
{
    return one->is_equal || !one->times_there.is_known || !one->times_here.is_known;
}

/* Decides what remains to be done for a schedule, from its state on both servers. */
static void decide(const struct move *move, struct moved *one)
{
    if (one->is_done)
        return;
    if (one->here == HERE_RUNS && one->is_left)
        moved_end(one, MOVE_TAKEN_BEFORE, "%s", "");
    else if (one->here == HERE_RUNS && one->is_paused)
        moved_end(one, MOVE_TAKEN_BEFORE, "its pause there was not set by an import");
    else if (one->here == HERE_RUNS)
        moved_end(one, MOVE_FAILED, "it runs on both servers; pause it on one of them");
    else if (one->is_paused && !one->is_left)
        moved_end(one, MOVE_STAYS_PAUSED, "%s", "");
    else if (!is_known_equal(one) && !one->is_left && !move->accepts_differences)
        moved_end(one, MOVE_DIFFERENT,
                  "the times differ; use --accept-differences to take it over");
}

/* Selects the schedules that can be paused now; returns how many must wait. */
static int select_quiet(struct moved *list, int count, bool is_last)
{
    instant now = clock_now();
    int waiting = 0;

    for (int i = 0; i < count; i++) {
        struct moved *one = &list[i];
        const struct move_times *times = one->times_there.is_known ? &one->times_there
                                                                   : &one->times_here;

        one->wants_pause = false;
        if (one->is_done || one->is_left)
            continue;
        one->wants_pause = is_last || handover_is_quiet(times->at, times->count, now) ||
                           !handover_can_wait(times->at, times->count, times->is_cut, now);
        waiting += !one->wants_pause;
    }
    return waiting;
}

/* Pauses each schedule at a moment when none of its slots is near, if it has such moments. */
static void pause_there(struct move *move, struct moved *list, int count)
{
    instant deadline = clock_boot_us() + QUIET_TRIES;
    int waiting;

    do {
        waiting = select_quiet(list, count, clock_boot_us() >= deadline);
        move->source->pause(move, list, count);
        if (waiting > 0)
            poll(NULL, 0, QUIET_POLL_MS);
    } while (waiting > 0);
}

static bool any_left(const struct moved *list, int count)
{
    for (int i = 0; i < count; i++)
        if (!list[i].is_done && list[i].is_left)
            return true;
    return false;
}

static void take_over(struct move *move, struct moved *list, int count)
{
    for (int i = 0; i < count; i++)
        decide(move, &list[i]);
    pause_there(move, list, count);
    if (!any_left(list, count))
        return;
    poll(NULL, 0, (int)(move->source->settle / SPAN_MS));
    move->source->read_last(move, list, count);
    if (move->source->prepare)
        move->source->prepare(move, list, count);
    move_here_resume(move, list, count);
}

/* ---- groups ---- */

/* Ends the schedules that the server has, unless an earlier import created them. */
static void finish(const struct move *move, struct moved *one)
{
    if (one->is_done)
        return;
    if (move->is_dry && one->here == HERE_ABSENT)
        moved_end(one, MOVE_PREVIEWED, "%s", "");
    else if (one->here == HERE_RUNS)
        moved_end(one, one->is_left ? MOVE_TAKEN_BEFORE : MOVE_EXISTS, "it runs here");
    else
        moved_end(one, one->is_created ? MOVE_CREATED : MOVE_WAITING, "%s", "");
}

static void move_group(struct move *move, const struct str *ids, int count)
{
    struct moved *list = arena_array(move->arena, (size_t)count, sizeof *list);

    for (int i = 0; i < count; i++)
        list[i] = (struct moved){.id = ids[i], .last = INSTANT_NONE};
    move->source->read(move, list, count);
    move_here_read(move, list, count);
    if (!move->is_dry)
        move->source->create(move, list, count);
    move->now = clock_now() / SPAN_S * SPAN_S;
    move->source->read_times(move, list, count);
    if (move->is_dry)
        move_here_preview(move, list, count);
    compare(list, count);
    if (move->takes_over)
        take_over(move, list, count);
    for (int i = 0; i < count; i++) {
        finish(move, &list[i]);
        move->counts[list[i].result]++;
        move_print(move, &list[i]);
        if (move->source->forget)
            move->source->forget(&list[i]);
    }
}

int move_run(struct move *move)
{
    int status;

    move->ids_arena = arena_new(ARENA_MAX);
    move->arena = arena_new(ARENA_MAX);
    status = move->source->list(move);
    for (int i = 0; i < move->id_count && status == STATUS_OK; i += MOVE_GROUP) {
        int rest = move->id_count - i;

        progress_show(&move->progress, i, move->id_count);
        move_group(move, &move->ids[i], rest < MOVE_GROUP ? rest : MOVE_GROUP);
        arena_reset(move->arena);
    }
    progress_close(&move->progress);
    if (status == STATUS_OK)
        status = move_print_summary(move);
    free(move->ids);
    arena_free(move->ids_arena);
    arena_free(move->arena);
    return status;
}
