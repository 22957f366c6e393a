/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of the checkpointer, and the state that it shares with the writer under a mutex.
 */
#include "server/checkpointer.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/must.h"
#include "db/disk.h"
#include "io/clock.h"
#include "io/thread.h"

struct checkpointer {
    const char *url;
    struct log *log;
    pthread_t thread;
    struct db *db; /* used by the thread only; NULL until the first request */

    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t changed;
    enum checkpoint_state state;
    struct checkpoint_result result;
    bool must_end;
};

/* Returns true for a request, false when the thread must end. */
static bool wait_for_request(struct checkpointer *cp)
{
    bool has_request;

    must(pthread_mutex_lock(&cp->lock) == 0);
    while (cp->state != CHECKPOINT_RUNNING && !cp->must_end)
        must(pthread_cond_wait(&cp->changed, &cp->lock) == 0);
    has_request = cp->state == CHECKPOINT_RUNNING;
    must(pthread_mutex_unlock(&cp->lock) == 0);
    return has_request;
}

static void set_result(struct checkpointer *cp, enum rc rc,
                       const struct checkpoint_result *result)
{
    must(pthread_mutex_lock(&cp->lock) == 0);
    /* The writer detects lesser errors, such as a full disk, by itself. */
    cp->state = rc == RC_CORRUPT ? CHECKPOINT_FAILED : CHECKPOINT_DONE;
    cp->result = *result;
    must(pthread_mutex_unlock(&cp->lock) == 0);
    must(pthread_cond_broadcast(&cp->changed) == 0);
}

static void *checkpointer_main(void *arg)
{
    struct checkpointer *cp = arg;

    thread_set_name("checkpointer");
    while (wait_for_request(cp)) {
        struct checkpoint_result result = {.pages = -1};
        enum rc rc = RC_OK;

        if (!cp->db)
            rc = db_open(cp->url, &(struct db_options){.writes_back = true}, &cp->db,
                         &result.why);
        if (rc != RC_OK)
            log_say(cp->log, clock_now(), LEVEL_WARN, "checkpointer cannot open the database",
                    LOG_TEXT("reason", result.why.text));
        else
            rc = db_write_back_wal(cp->db, &result.pages, &result.why);
        set_result(cp, rc, &result);
    }
    cp->db = db_close(cp->db);
    return NULL;
}

struct checkpointer *checkpointer_start(const char *url, struct log *log)
{
    struct checkpointer *cp = calloc(1, sizeof *cp);

    must(cp);
    cp->url = url;
    cp->log = log;
    must(pthread_mutex_init(&cp->lock, NULL) == 0 &&
         pthread_cond_init(&cp->changed, NULL) == 0);
    must(pthread_create(&cp->thread, NULL, checkpointer_main, cp) == 0);
    return cp;
}

struct checkpointer *checkpointer_stop(struct checkpointer *cp)
{
    if (!cp)
        return NULL;
    must(pthread_mutex_lock(&cp->lock) == 0);
    cp->must_end = true;
    must(pthread_mutex_unlock(&cp->lock) == 0);
    must(pthread_cond_broadcast(&cp->changed) == 0);
    must(pthread_join(cp->thread, NULL) == 0);
    must(pthread_cond_destroy(&cp->changed) == 0 && pthread_mutex_destroy(&cp->lock) == 0);
    free(cp);
    return NULL;
}

/* The caller holds the lock. */
static enum checkpoint_state read_state(struct checkpointer *cp, struct checkpoint_result *ret)
{
    enum checkpoint_state state = cp->state;

    if (state == CHECKPOINT_DONE)
        cp->state = CHECKPOINT_IDLE;
    if (state == CHECKPOINT_DONE || state == CHECKPOINT_FAILED)
        *ret = cp->result;
    return state;
}

enum checkpoint_state checkpointer_poll(struct checkpointer *cp, struct checkpoint_result *ret)
{
    enum checkpoint_state state;

    must(pthread_mutex_lock(&cp->lock) == 0);
    state = read_state(cp, ret);
    must(pthread_mutex_unlock(&cp->lock) == 0);
    return state;
}

enum checkpoint_state checkpointer_wait(struct checkpointer *cp, struct checkpoint_result *ret)
{
    enum checkpoint_state state;

    must(pthread_mutex_lock(&cp->lock) == 0);
    while (cp->state == CHECKPOINT_RUNNING)
        must(pthread_cond_wait(&cp->changed, &cp->lock) == 0);
    state = read_state(cp, ret);
    must(pthread_mutex_unlock(&cp->lock) == 0);
    return state;
}

void checkpointer_request(struct checkpointer *cp)
{
    must(pthread_mutex_lock(&cp->lock) == 0);
    must(cp->state == CHECKPOINT_IDLE);
    cp->state = CHECKPOINT_RUNNING;
    must(pthread_mutex_unlock(&cp->lock) == 0);
    must(pthread_cond_broadcast(&cp->changed) == 0);
}
