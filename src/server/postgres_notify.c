/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that waits for notifications of PostgreSQL and wakes the writer.
 */
#include "server/postgres_notify.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "db/db.h"
#include "io/clock.h"
#include "server/ticket.h"

enum { RETRY_MS = 2000 }; /* pause between attempts to connect */

struct postgres_notify {
    const struct config *config;
    struct log *log;
    struct mailbox *to_writer;
    struct str node;
    struct db_hosts *hosts;
    pthread_t thread;
    int stop[2]; /* a pipe; closing the write end stops the thread */
    struct db *db;
};

/* Returns false when the thread must stop. */
static bool wait_for(const struct postgres_notify *notify, int fd, int timeout_ms)
{
    struct pollfd fds[2] = {{.fd = notify->stop[0], .events = POLLIN},
                            {.fd = fd, .events = POLLIN}};

    (void)poll(fds, fd < 0 ? 1 : 2, timeout_ms);
    return fds[0].revents == 0;
}

static enum rc connect_db(struct postgres_notify *notify, struct err *reterr)
{
    struct db_options options = {.readonly = true, .hosts = notify->hosts};
    enum rc rc = db_open(notify->config->db.ptr, &options, &notify->db, reterr);

    return rc == RC_OK ? db_listen(notify->db, NOTIFY_CHANNEL, reterr) : rc;
}

/* Combines all pending notifications into one message: the writer checks every queue anyway. */
static enum rc read_notifications(struct postgres_notify *notify, struct err *reterr)
{
    bool is_any = true, is_relevant = false;
    struct db_note note;
    enum rc rc = RC_OK;

    while (rc == RC_OK && is_any) {
        rc = db_poll_note(notify->db, &note, &is_any, reterr);
        is_relevant |= rc == RC_OK && is_any && !str_eq(str_of(note.payload), notify->node);
    }
    if (is_relevant && mailbox_room(notify->to_writer) > WRITER_MSGS_RESERVED)
        must(
            mailbox_push(notify->to_writer, &(struct writer_msg){.kind = WRITER_MSG_NOTIFIED}));
    return rc;
}

static void *postgres_notify_main(void *arg)
{
    struct postgres_notify *notify = arg;
    struct err err;
    bool keeps_running = true;

    while (keeps_running) {
        if (!notify->db && connect_db(notify, &err) != RC_OK) {
            notify->db = db_close(notify->db);
            keeps_running = wait_for(notify, -1, RETRY_MS);
            continue;
        }
        keeps_running = wait_for(notify, db_socket(notify->db), -1);
        if (keeps_running && read_notifications(notify, &err) != RC_OK) {
            log_say(notify->log, clock_now(), LEVEL_DEBUG, "LISTEN connection lost",
                    LOG_TEXT("reason", err.text));
            notify->db = db_close(notify->db);
        }
    }
    notify->db = db_close(notify->db);
    return NULL;
}

struct postgres_notify *postgres_notify_start(const struct config *config, struct log *log,
                                              struct mailbox *to_writer, struct str node,
                                              struct db_hosts *hosts)
{
    struct postgres_notify *notify;

    if (str_starts(config->db, STR("sqlite:")))
        return NULL;
    notify = calloc(1, sizeof *notify);
    must(notify);
    *notify = (struct postgres_notify){
        .config = config, .log = log, .to_writer = to_writer, .node = node, .hosts = hosts};
    must(pipe2(notify->stop, O_CLOEXEC) == 0);
    must(pthread_create(&notify->thread, NULL, postgres_notify_main, notify) == 0);
    return notify;
}

struct postgres_notify *postgres_notify_stop(struct postgres_notify *notify)
{
    if (!notify)
        return NULL;
    close(notify->stop[1]);
    must(pthread_join(notify->thread, NULL) == 0);
    close(notify->stop[0]);
    free(notify);
    return NULL;
}
