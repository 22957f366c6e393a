/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a schedule was paused or disabled, by commands and events in the order in which they
 * took effect.
 */
#include <limits.h>
#include <stdlib.h>

#include "sim/judge_facts.h"

enum word_kind { WORD_ENABLED, WORD_RESUMED, WORD_PAUSED, WORD_DISABLED };

/* In a turn a failure pauses before any command, and an expired pause ends after all. */
enum { BEFORE_COMMANDS = -1, AFTER_COMMANDS = INT_MAX };

/* The beginning or the end of a pause. */
struct word {
    int64_t order;
    int position;
    instant at, until;
    enum word_kind kind;
    bool is_asked;
};

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_word(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    int c = compare(x->order, y->order);

    c = c ? c : compare(x->position, y->position);
    return c ? c : compare((int64_t)x->kind, (int64_t)y->kind);
}

/* The pause changes of a command; returns their number, at most two. */
static int command_words(const struct facts *facts, const struct rec_command *c,
                         struct word *ret)
{
    const struct rec_draft *draft = c->draft >= 0 ? &facts->record->drafts[c->draft] : NULL;
    struct word word = {c->order, c->position, c->at, INSTANT_NEVER, WORD_RESUMED, true};

    if (!command_is_done(c))
        return 0;
    ret[0] = ret[1] = word;
    if (command_is_edit(c)) {
        ret[0].kind = draft->is_disabled ? WORD_DISABLED : WORD_ENABLED;
        ret[1].kind = draft->is_paused ? WORD_PAUSED : WORD_RESUMED;
        if (draft->is_paused && draft->sets_pause)
            ret[1].until = c->command.save.pause_until;
        return draft->sets_pause || (draft->is_paused && c->reply.version == 1) ? 2 : 1;
    }
    if (c->command.kind == COMMAND_PAUSE) {
        ret[0].kind = WORD_PAUSED;
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

/* Commands are evidence themselves: their effect is also in the events. */
static bool is_asked(const struct word *words, int count, const struct word *event)
{
    for (int i = 0; i < count; i++)
        if (words[i].is_asked && words[i].order == event->order && words[i].kind == event->kind)
            return true;
    return false;
}

static bool event_word(const struct facts *facts, const struct rec_event *e, struct word *ret)
{
    *ret = (struct word){.at = e->at, .until = INSTANT_NEVER, .position = BEFORE_COMMANDS};
    switch (e->event.type) {
    case EVENT_SCHEDULE_PAUSED:
        ret->kind = WORD_PAUSED;
        break;
    case EVENT_SCHEDULE_DISABLED:
        ret->kind = WORD_DISABLED;
        break;
    case EVENT_SCHEDULE_RESUMED:
        ret->kind = WORD_RESUMED;
        ret->position = AFTER_COMMANDS;
        break;
    default:
        return false;
    }
    ret->order = order_of(facts, e);
    return true;
}

/* It lasts until it is ended or set again. */
static struct pause pause_of(const struct word *words, int count, int i)
{
    enum word_kind kind = words[i].kind;
    enum word_kind end = kind == WORD_PAUSED ? WORD_RESUMED : WORD_ENABLED;
    struct pause pause = {words[i].at, words[i].until, INSTANT_NEVER, words[i].is_asked};
    bool is_said_anew = false;

    for (int k = i + 1; k < count; k++) {
        if (words[k].kind != end && words[k].kind != kind)
            continue;
        if (!is_said_anew && words[k].at < pause.until)
            pause.until = words[k].at;
        is_said_anew = true;
        if (words[k].kind == end) {
            pause.latest = words[k].at;
            break;
        }
    }
    return pause;
}

static void read_schedule(struct facts *facts, struct schedule *s, struct word *words)
{
    const struct record *record = facts->record;
    int count = 0, asked;

    for (int i = 0; i < facts->command_count; i++)
        if (facts->commands[i]->reply.schedule == s->key)
            count += command_words(facts, facts->commands[i], &words[count]);
    asked = count;
    for (int i = 0; i < record->event_count; i++)
        if (record->events[i].event.schedule == s->key &&
            event_word(facts, &record->events[i], &words[count]) &&
            !is_asked(words, asked, &words[count]))
            count++;
    qsort(words, (size_t)count, sizeof *words, by_word);
    s->pauses = arena_array(facts->arena, (size_t)count, sizeof *s->pauses);
    for (int i = 0; i < count; i++)
        if (words[i].kind == WORD_PAUSED || words[i].kind == WORD_DISABLED)
            s->pauses[s->pause_count++] = pause_of(words, count, i);
}

void facts_read_pauses(struct facts *facts)
{
    size_t room = 2 * (size_t)facts->record->command_count +
                  (size_t)facts->record->event_count + 1;
    struct word *words = arena_array(facts->arena, room, sizeof *words);

    for (int i = 0; i < facts->schedule_count; i++)
        read_schedule(facts, &facts->schedules[i], words);
}
