/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends messages to the writer, and handles messages of the other threads, a limited number per
 * round of the loop, to leave time for requests.
 */
#include <string.h>

#include "base/must.h"
#include "io/clock.h"
#include "server/frontend/frontend_parts.h"

enum {
    MSGS_AT_ONCE = 64, /* messages per lock of the mailbox */
    MSGS_MIN = 16,     /* minimum per round of the loop    */
};

void frontend_test_point(const struct frontend *frontend, enum serve_point point)
{
    const struct serve_seam *seam = frontend->options.seam;

    if (seam && seam->at)
        seam->at(seam->arg, point);
}

void frontend_post(struct frontend *frontend, const struct writer_msg *msg)
{
    must(mailbox_push(frontend->options.to_writer, msg));
}

void frontend_add_namespace(struct frontend *frontend, struct namespace_msg *msg)
{
    struct err err;

    if (namespace_cache_put(frontend->namespaces, msg->id, msg->name, msg->settings, &err) !=
        RC_OK)
        log_say(frontend->options.log, clock_now(), LEVEL_ERROR,
                "cannot read the settings of a namespace", LOG_STR("namespace", msg->name),
                LOG_TEXT("reason", err.text));
    arena_free(msg->arena);
}

static void update_state(struct frontend *frontend)
{
    struct writer_state state = writer_state(frontend->writer);

    frontend->has_started |= state.phase == WRITER_READY || state.phase == WRITER_HELD ||
                             state.phase == WRITER_FULL;
    frontend->is_db_away = state.phase == WRITER_STARTING || state.phase == WRITER_DB_LOST ||
                           state.phase == WRITER_OVER;
    frontend->is_full = state.is_full;
    frontend->is_held = state.is_held;
    memcpy(frontend->why, state.text, sizeof frontend->why);
    if (state.phase == WRITER_STARTING)
        memcpy(frontend->why, "starting", sizeof "starting");
}

static bool handle_msg(struct frontend *frontend, const struct io_msg *msg)
{
    switch (msg->kind) {
    case IO_MSG_TICKET:
        frontend_ticket_returned(frontend, msg->ticket);
        break;
    case IO_MSG_DISPATCH:
        frontend_start_dispatch(frontend, msg->order);
        break;
    case IO_MSG_STOP:
        if (frontend->dispatcher)
            dispatcher_stop(frontend->dispatcher, &msg->stop);
        break;
    case IO_MSG_ABORT_ALL:
        if (frontend->dispatcher)
            dispatcher_abort_all(frontend->dispatcher);
        break;
    case IO_MSG_NAMESPACE:
        frontend_add_namespace(frontend, msg->namespace_msg);
        break;
    case IO_MSG_KEYS:
        frontend_set_keys(frontend, msg->keys);
        streams_close_denied(frontend->streams, frontend->admission);
        break;
    case IO_MSG_COMMIT:
        streams_on_commit(frontend->streams);
        break;
    case IO_MSG_STATE:
        update_state(frontend);
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
 * Handles as many messages as requests have arrived, so that neither piles up.  Handling all of
 * them at once would leave the writer idle and delay new requests.
 */
static bool receive_some(struct frontend *frontend)
{
    struct io_msg msgs[MSGS_AT_ONCE];
    int left = frontend->begun > MSGS_MIN ? frontend->begun : MSGS_MIN;
    bool is_over = false;
    size_t count, most;

    frontend->begun = 0;
    do {
        most = left < MSGS_AT_ONCE ? (size_t)left : MSGS_AT_ONCE;
        count = mailbox_take(frontend->options.to_io, msgs, most);
        for (size_t i = 0; i < count; i++)
            is_over |= handle_msg(frontend, &msgs[i]);
        left -= (int)count;
    } while (count == most && left > 0);
    if (count == most)
        loop_wake(frontend->options.loop);
    return is_over;
}

bool frontend_receive(struct frontend *frontend)
{
    bool is_over = receive_some(frontend);

    if (!is_over && frontend_count_finished(frontend))
        frontend_post(frontend, &(struct writer_msg){.kind = WRITER_MSG_WAKE});
    if (!is_over)
        frontend_apply_seeds(frontend);
    return is_over;
}
