/* SPDX-License-Identifier: Apache-2.0 */
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

enum { RETRY_MS = 2000 }; /* between two attempts to connect */

struct ear {
    const struct config *config;
    struct log *log;
    struct mailbox *memos;
    struct str node;
    pthread_t thread;
    int stop[2]; /* a pipe: its end is the sign */
    struct db *db;
};

/* False: the sign to end. */
static bool wait_for(const struct ear *ear, int fd, int timeout_ms)
{
    struct pollfd fds[2] = {{.fd = ear->stop[0], .events = POLLIN},
                            {.fd = fd, .events = POLLIN}};

    (void)poll(fds, fd < 0 ? 1 : 2, timeout_ms);
    return fds[0].revents == 0;
}

static enum rc connect_db(struct ear *ear, struct err *reterr)
{
    struct db_options options = {.readonly = true};
    enum rc rc = db_open(ear->config->db.ptr, &options, &ear->db, reterr);

    return rc == RC_OK ? db_listen(ear->db, EAR_CHANNEL, reterr) : rc;
}

/* Many hints are one: the writer looks at everything. */
static enum rc hear(struct ear *ear, struct err *reterr)
{
    bool is_any = true, is_news = false;
    struct db_note note;
    enum rc rc = RC_OK;

    while (rc == RC_OK && is_any) {
        rc = db_poll_note(ear->db, &note, &is_any, reterr);
        is_news |= rc == RC_OK && is_any && !str_eq(str_of(note.payload), ear->node);
    }
    if (is_news && mailbox_room(ear->memos) > MEMOS_KEPT)
        must(mailbox_push(ear->memos, &(struct memo){.kind = MEMO_HEARD}));
    return rc;
}

static void *ear_main(void *with)
{
    struct ear *ear = with;
    struct err err;
    bool goes_on = true;

    while (goes_on) {
        if (!ear->db && connect_db(ear, &err) != RC_OK) {
            ear->db = db_close(ear->db);
            goes_on = wait_for(ear, -1, RETRY_MS);
            continue;
        }
        goes_on = wait_for(ear, db_socket(ear->db), -1);
        if (goes_on && hear(ear, &err) != RC_OK) {
            log_say(ear->log, clock_now(), LEVEL_DEBUG, "hints of other nodes are not heard",
                    LOG_TEXT("reason", err.text));
            ear->db = db_close(ear->db);
        }
    }
    ear->db = db_close(ear->db);
    return NULL;
}

struct ear *ear_start(const struct config *config, struct log *log, struct mailbox *memos,
                      struct str node)
{
    struct ear *ear;

    if (str_starts(config->db, STR("sqlite:")))
        return NULL;
    ear = calloc(1, sizeof *ear);
    must(ear);
    *ear = (struct ear){.config = config, .log = log, .memos = memos, .node = node};
    must(pipe2(ear->stop, O_CLOEXEC) == 0);
    must(pthread_create(&ear->thread, NULL, ear_main, ear) == 0);
    return ear;
}

struct ear *ear_stop(struct ear *ear)
{
    if (!ear)
        return NULL;
    close(ear->stop[1]);
    must(pthread_join(ear->thread, NULL) == 0);
    close(ear->stop[0]);
    free(ear);
    return NULL;
}
