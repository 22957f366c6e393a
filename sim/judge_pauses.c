/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a schedule was paused or disabled, by commands and events in the order in which they
 * took effect: every pause and every resume has its own version of the schedule.
 */
#include <limits.h>
#include <stdlib.h>

#include "sim/judge_facts.h"

enum change_kind { CHANGE_ENABLED, CHANGE_RESUMED, CHANGE_PAUSED, CHANGE_DISABLED };

/*
 * A command may take two versions and replies with the second: a pause that has expired when it
 * is set ends at once.
 */
enum { BEFORE_COMMANDS = -1, AFTER_COMMANDS = INT_MAX };

/* The beginning or the end of a pause. */
struct pause_change {
    int64_t version; /* commands that change nothing have the version that they found */
    int64_t order;
    int position;
    instant at, until;
    enum change_kind kind;
    bool is_asked;
};

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_change(const void *a, const void *b)
{
    const struct pause_change *x = a, *y = b;
    int c = compare(x->version, y->version);

    c = c ? c : compare(x->order, y->order);
    c = c ? c : compare(x->position, y->position);
    return c ? c : compare((int64_t)x->kind, (int64_t)y->kind);
}

/* The pause changes of a command; returns their number, at most two. */
static int changes_of_command(const struct facts *facts, const struct rec_command *c,
                              struct pause_change *ret)
{
    const struct rec_draft *draft = c->draft >= 0 ? &facts->record->drafts[c->draft] : NULL;
    struct pause_change change = {.version = c->reply.version,
                                  .order = c->order,
                                  .position = c->position,
                                  .at = c->at,
                                  .until = INSTANT_NEVER,
                                  .kind = CHANGE_RESUMED,
                                  .is_asked = true};

    if (!command_is_done(c))
        return 0;
    ret[0] = ret[1] = change;
    if (command_is_edit(c)) {
        ret[0].kind = draft->is_disabled ? CHANGE_DISABLED : CHANGE_ENABLED;
        ret[1].kind = draft->is_paused ? CHANGE_PAUSED : CHANGE_RESUMED;
        if (draft->is_paused && draft->sets_pause)
            ret[1].until = c->command.save.pause_until;
        return draft->sets_pause || (draft->is_paused && c->reply.version == 1) ? 2 : 1;
    }
    if (c->command.kind == COMMAND_PAUSE) {
        ret[0].kind = CHANGE_PAUSED;
        ret[0].until = c->command.pause.until;
    }
    return c->command.kind == COMMAND_PAUSE || c->command.kind == COMMAND_RESUME ? 1 : 0;
}

/* The turn that wrote an event; if clocks were stepped it may be a similar one. */
static int64_t order_of(const struct facts *facts, const struct rec_event *e)
{
    int64_t order = -1;

    for (int i = 0; i < facts->turn_count; i++) {
        const struct rec_turn *turn = facts->turns[i];

        if (turn->node == e->node && turn->now == e->at)
            return turn->order;
        if (turn->now <= e->at)
            order = turn->order;
    }
    return order;
}

/* True if a command is already listed as the cause of this event. */
static bool is_asked(const struct pause_change *changes, int count,
                     const struct pause_change *event)
{
    for (int i = 0; i < count; i++)
        if (changes[i].is_asked && changes[i].version == event->version &&
            changes[i].kind == event->kind)
            return true;
    return false;
}

static bool change_of_event(const struct facts *facts, const struct rec_event *e,
                            struct pause_change *ret)
{
    *ret = (struct pause_change){.version = e->event.count,
                                 .at = e->at,
                                 .until = INSTANT_NEVER,
                                 .position = BEFORE_COMMANDS};
    switch (e->event.type) {
    case EVENT_SCHEDULE_PAUSED:
        ret->kind = CHANGE_PAUSED;
        break;
    case EVENT_SCHEDULE_DISABLED:
        ret->kind = CHANGE_DISABLED;
        break;
    case EVENT_SCHEDULE_RESUMED:
        ret->kind = CHANGE_RESUMED;
        ret->position = AFTER_COMMANDS;
        break;
    default:
        return false;
    }
    ret->order = order_of(facts, e);
    return true;
}

/* It lasts until it is ended or set again. */
static struct pause pause_of(const struct pause_change *changes, int count, int i)
{
    enum change_kind kind = changes[i].kind;
    enum change_kind end = kind == CHANGE_PAUSED ? CHANGE_RESUMED : CHANGE_ENABLED;
    struct pause pause = {changes[i].at, changes[i].until, INSTANT_NEVER, changes[i].is_asked};
    bool is_replaced = false;

    for (int k = i + 1; k < count; k++) {
        if (changes[k].kind != end && changes[k].kind != kind)
            continue;
        if (!is_replaced && changes[k].at < pause.until)
            pause.until = changes[k].at;
        is_replaced = true;
        if (changes[k].kind == end) {
            pause.latest = changes[k].at;
            break;
        }
    }
    return pause;
}

static void read_schedule(struct facts *facts, struct schedule *s, struct pause_change *changes)
{
    const struct record *record = facts->record;
    int count = 0, asked;

    for (int i = 0; i < facts->command_count; i++)
        if (facts->commands[i]->reply.schedule == s->key)
            count += changes_of_command(facts, facts->commands[i], &changes[count]);
    asked = count;
    for (int i = 0; i < record->event_count; i++)
        if (record->events[i].event.schedule == s->key &&
            change_of_event(facts, &record->events[i], &changes[count]) &&
            !is_asked(changes, asked, &changes[count]))
            count++;
    qsort(changes, (size_t)count, sizeof *changes, by_change);
    s->pauses = arena_array(facts->arena, (size_t)count, sizeof *s->pauses);
    for (int i = 0; i < count; i++)
        if (changes[i].kind == CHANGE_PAUSED || changes[i].kind == CHANGE_DISABLED)
            s->pauses[s->pause_count++] = pause_of(changes, count, i);
}

void facts_read_pauses(struct facts *facts)
{
    size_t room = 2 * (size_t)facts->record->command_count +
                  (size_t)facts->record->event_count + 1;
    struct pause_change *changes = arena_array(facts->arena, room, sizeof *changes);

    for (int i = 0; i < facts->schedule_count; i++)
        read_schedule(facts, &facts->schedules[i], changes);
}
