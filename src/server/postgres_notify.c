/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that waits for notifications of PostgreSQL and wakes the writer.
 */
#include "server/postgres_notify.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "db/db.h"
#include "io/clock.h"
#include "server/ticket.h"

/* First in the payload of test notifications; others contain the name of a node. */
#define TEST_SIGN '?'

enum {
    RETRY_MS = 2000, /* pause between attempts to connect */
    TEST_MS = 5000,  /* interval of test notifications    */
};

struct postgres_notify {
    const struct config *config;
    struct log *log;
    struct mailbox *to_writer;
    struct str node;
    struct db_hosts *hosts;
    pthread_t thread;
    int stop[2]; /* a pipe; closing the write end stops the thread */
    struct db *db;
    char test[DB_NOTE_MAX]; /* payload of a test notification of this node */
    int64_t test_at_us;     /* when to send the next one                   */
    bool is_heard;          /* the last one has arrived                    */
    _Atomic bool is_connected;
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

    if (rc == RC_OK) /* for those who look into pg_stat_activity */
        rc = db_exec(notify->db, STR("SET application_name = 'belfry listen'"), reterr);
    return rc == RC_OK ? db_listen(notify->db, NOTIFY_CHANNEL, reterr) : rc;
}

/*
 * Combines all pending notifications into one message: the writer checks every queue anyway.
 * Tests of other nodes mean nothing here.
 */
static enum rc read_notifications(struct postgres_notify *notify, struct err *reterr)
{
    bool is_any = true, is_relevant = false;
    struct db_note note;
    enum rc rc = RC_OK;

    while (rc == RC_OK && is_any) {
        rc = db_poll_note(notify->db, &note, &is_any, reterr);
        if (rc != RC_OK || !is_any)
            break;
        if (note.payload[0] == TEST_SIGN)
            notify->is_heard |= strcmp(note.payload, notify->test) == 0;
        else
            is_relevant |= !str_eq(str_of(note.payload), notify->node);
    }
    if (is_relevant && mailbox_room(notify->to_writer) > WRITER_MSGS_RESERVED)
        must(
            mailbox_push(notify->to_writer, &(struct writer_msg){.kind = WRITER_MSG_NOTIFIED}));
    return rc;
}

/*
 * A connection can be dead without an error: if a firewall forgets it, or if a pooler passes
 * statements but no notifications.  So the node regularly sends a notification to itself.
 */
static enum rc test_connection(struct postgres_notify *notify, struct err *reterr)
{
    if (clock_boot_us() < notify->test_at_us)
        return RC_OK;
    if (!notify->is_heard)
        return err_set(reterr, RC_LOST, -1, 0,
                       "a test notification did not arrive within %d ms", (int)TEST_MS);
    notify->is_heard = false;
    notify->test_at_us = clock_boot_us() + TEST_MS * SPAN_MS;
    return db_notify(notify->db, NOTIFY_CHANNEL, str_of(notify->test), reterr);
}

/* Listens until the connection is lost or the thread must stop; then returns false. */
static bool listen_on(struct postgres_notify *notify, struct err *reterr)
{
    while (wait_for(notify, db_socket(notify->db), TEST_MS)) {
        if (test_connection(notify, reterr) != RC_OK ||
            read_notifications(notify, reterr) != RC_OK)
            return true;
    }
    return false;
}

static void *postgres_notify_main(void *arg)
{
    struct postgres_notify *notify = arg;
    struct err err;
    bool keeps_running = true;

    while (keeps_running) {
        if (connect_db(notify, &err) == RC_OK) {
            notify->is_heard = true;
            notify->test_at_us = 0;
            atomic_store(&notify->is_connected, true);
            keeps_running = listen_on(notify, &err);
        }
        notify->db = db_close(notify->db);
        if (!keeps_running)
            break;
        if (atomic_exchange(&notify->is_connected, false))
            log_say(notify->log, clock_now(), LEVEL_WARN, "LISTEN connection lost",
                    LOG_TEXT("reason", err.text));
        keeps_running = wait_for(notify, -1, RETRY_MS);
    }
    return NULL;
}

bool postgres_notify_is_connected(const struct postgres_notify *notify)
{
    return atomic_load(&notify->is_connected);
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
    snprintf(notify->test, sizeof notify->test, "%c%.*s", TEST_SIGN, STR_ARG(node));
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
