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

void frontend_learn_namespace(struct frontend *frontend, struct namespace_msg *signal)
{
    struct err err;

    if (namespace_cache_put(frontend->namespaces, signal->id, signal->name, signal->settings,
                            &err) != RC_OK)
        log_say(frontend->options.log, clock_now(), LEVEL_ERROR,
                "the settings of a namespace cannot be read",
                LOG_STR("namespace", signal->name), LOG_TEXT("reason", err.text));
    arena_free(signal->arena);
}

static void learn_state(struct frontend *frontend)
{
    struct writer_state state = writer_state(frontend->writer);

    frontend->is_up |= state.phase == WRITER_READY || state.phase == WRITER_HOLDING ||
                       state.phase == WRITER_FULL;
    frontend->is_away = state.phase == WRITER_STARTING || state.phase == WRITER_AWAY ||
                        state.phase == WRITER_OVER;
    frontend->is_full = state.is_full;
    frontend->holds = state.holds;
    memcpy(frontend->why, state.text, sizeof frontend->why);
    if (state.phase == WRITER_STARTING)
        memcpy(frontend->why, "starting", sizeof "starting");
}

static bool take_notice(struct frontend *frontend, const struct io_msg *msg)
{
    switch (msg->kind) {
    case IO_MSG_TICKET:
        frontend_came_back(frontend, msg->ticket);
        break;
    case IO_MSG_DISPATCH:
        frontend_start_dispatch(frontend, msg->order);
        break;
    case IO_MSG_STOP:
        if (frontend->dispatcher)
            dispatcher_stop(frontend->dispatcher, &msg->stop);
        break;
    case IO_MSG_FORGET:
        if (frontend->dispatcher)
            dispatcher_forget(frontend->dispatcher);
        break;
    case IO_MSG_NAMESPACE:
        frontend_learn_namespace(frontend, msg->space);
        break;
    case IO_MSG_KEYS:
        frontend_learn_keys(frontend, msg->keys);
        streams_check(frontend->streams, frontend->admission);
        break;
    case IO_MSG_COMMIT:
        streams_news(frontend->streams);
        break;
    case IO_MSG_STATE:
        learn_state(frontend);
        break;
    case IO_MSG_DRAINED:
        frontend->is_drained = true;
        break;
    case IO_MSG_OVER:
        return true;
    }
    return false;
}

/*
 * Not all that there are: while many are answered, the writer would have nothing to do, and
 * whoever asks would wait for all of them.  But as many as have come, so that none pile up.
 */
static bool take_some(struct frontend *frontend)
{
    struct io_msg to_io[NOTICES_AT_ONCE];
    int left = frontend->begun > NOTICES_LEAST ? frontend->begun : NOTICES_LEAST;
    bool is_over = false;
    size_t count, most;

    frontend->begun = 0;
    do {
        most = left < NOTICES_AT_ONCE ? (size_t)left : NOTICES_AT_ONCE;
        count = mailbox_take(frontend->options.to_io, to_io, most);
        for (size_t i = 0; i < count; i++)
            is_over |= take_notice(frontend, &to_io[i]);
        left -= (int)count;
    } while (count == most && left > 0);
    if (count == most)
        loop_wake(frontend->options.loop);
    return is_over;
}

bool frontend_take(struct frontend *frontend)
{
    bool is_over = take_some(frontend);

    if (!is_over && frontend_count_finished(frontend))
        frontend_post(frontend, &(struct writer_msg){.kind = WRITER_MSG_LOOK});
    if (!is_over)
        frontend_apply_seeds(frontend);
    return is_over;
}
