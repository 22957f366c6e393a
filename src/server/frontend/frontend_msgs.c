/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the other threads say to io, as much of it at a time as leaves room for requests.
 */
#include <string.h>

#include "io/clock.h"
#include "server/frontend/frontend_parts.h"

enum {
    NOTICES_AT_ONCE = 64, /* taken from the mailbox with one lock */
    NOTICES_LEAST = 16,   /* in a round of the loop               */
};

void door_learn_space(struct door *door, struct space_news *news)
{
    struct err err;

    if (spaces_put(door->spaces, news->id, news->name, news->settings, &err) != RC_OK)
        log_say(door->options.log, clock_now(), LEVEL_ERROR,
                "the settings of a namespace cannot be read", LOG_STR("namespace", news->name),
                LOG_TEXT("reason", err.text));
    arena_free(news->arena);
}

static void learn_state(struct door *door)
{
    struct writer_state state = writer_state(door->writer);

    door->is_up |= state.phase == WRITER_READY || state.phase == WRITER_HOLDING ||
                   state.phase == WRITER_FULL;
    door->is_away = state.phase == WRITER_STARTING || state.phase == WRITER_AWAY ||
                    state.phase == WRITER_OVER;
    door->is_full = state.is_full;
    door->holds = state.holds;
    memcpy(door->why, state.text, sizeof door->why);
    if (state.phase == WRITER_STARTING)
        memcpy(door->why, "starting", sizeof "starting");
}

static bool take_notice(struct door *door, const struct notice *notice)
{
    switch (notice->kind) {
    case NOTICE_TICKET:
        door_came_back(door, notice->ticket);
        break;
    case NOTICE_TASK:
        door_start_task(door, notice->task);
        break;
    case NOTICE_STOP:
        if (door->calls)
            calls_stop(door->calls, &notice->stop);
        break;
    case NOTICE_FORGET:
        if (door->calls)
            calls_forget(door->calls);
        break;
    case NOTICE_SPACE:
        door_learn_space(door, notice->space);
        break;
    case NOTICE_KEYS:
        door_learn_keys(door, notice->keys);
        feed_check(door->feed, door->porter);
        break;
    case NOTICE_NEWS:
        feed_news(door->feed);
        break;
    case NOTICE_STATE:
        learn_state(door);
        break;
    case NOTICE_DRAINED:
        door->is_drained = true;
        break;
    case NOTICE_OVER:
        return true;
    }
    return false;
}

/*
 * Not all that there are: while many are answered, the writer would have nothing to do, and
 * whoever asks would wait for all of them.  But as many as have come, so that none pile up.
 */
static bool take_some(struct door *door)
{
    struct notice notices[NOTICES_AT_ONCE];
    int left = door->begun > NOTICES_LEAST ? door->begun : NOTICES_LEAST;
    bool is_over = false;
    size_t count, most;

    door->begun = 0;
    do {
        most = left < NOTICES_AT_ONCE ? (size_t)left : NOTICES_AT_ONCE;
        count = mailbox_take(door->options.notices, notices, most);
        for (size_t i = 0; i < count; i++)
            is_over |= take_notice(door, &notices[i]);
        left -= (int)count;
    } while (count == most && left > 0);
    if (count == most)
        loop_wake(door->options.loop);
    return is_over;
}

bool door_take(struct door *door)
{
    bool is_over = take_some(door);

    if (!is_over && door_count_finished(door))
        door_memo(door, &(struct memo){.kind = MEMO_LOOK});
    if (!is_over)
        door_sow(door);
    return is_over;
}
