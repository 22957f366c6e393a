/* SPDX-License-Identifier: Apache-2.0 */
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
    struct db *db; /* the thread's; NULL before the first time */

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    enum sweeping state;
    struct swept swept;
    bool must_end;
};

/* True when there is something to do, false at the end. */
static bool wait(struct checkpointer *s)
{
    bool is_asked;

    must(pthread_mutex_lock(&s->lock) == 0);
    while (s->state != SWEEPING_NOW && !s->must_end)
        must(pthread_cond_wait(&s->changed, &s->lock) == 0);
    is_asked = s->state == SWEEPING_NOW;
    must(pthread_mutex_unlock(&s->lock) == 0);
    return is_asked;
}

static void tell(struct checkpointer *s, enum rc rc, const struct swept *swept)
{
    must(pthread_mutex_lock(&s->lock) == 0);
    /* Anything less, such as a full disk, the writer will find by itself. */
    s->state = rc == RC_CORRUPT ? SWEEPING_FAILED : SWEEPING_DONE;
    s->swept = *swept;
    must(pthread_mutex_unlock(&s->lock) == 0);
    must(pthread_cond_broadcast(&s->changed) == 0);
}

static void *checkpointer_main(void *arg)
{
    struct checkpointer *s = arg;

    thread_name("sweeper");
    while (wait(s)) {
        struct swept swept = {.pages = -1};
        enum rc rc = RC_OK;

        if (!s->db)
            rc = db_open(s->url, &(struct db_options){.sweeps = true}, &s->db, &swept.why);
        if (rc != RC_OK)
            log_say(s->log, clock_now(), LEVEL_WARN,
                    "the writer has to write the log back alone",
                    LOG_TEXT("reason", swept.why.text));
        else
            rc = db_sweep(s->db, &swept.pages, &swept.why);
        tell(s, rc, &swept);
    }
    s->db = db_close(s->db);
    return NULL;
}

struct checkpointer *checkpointer_start(const char *url, struct log *log)
{
    struct checkpointer *s = calloc(1, sizeof *s);

    must(s);
    s->url = url;
    s->log = log;
    must(pthread_mutex_init(&s->lock, NULL) == 0 && pthread_cond_init(&s->changed, NULL) == 0);
    must(pthread_create(&s->thread, NULL, checkpointer_main, s) == 0);
    return s;
}

struct checkpointer *checkpointer_stop(struct checkpointer *s)
{
    if (!s)
        return NULL;
    must(pthread_mutex_lock(&s->lock) == 0);
    s->must_end = true;
    must(pthread_mutex_unlock(&s->lock) == 0);
    must(pthread_cond_broadcast(&s->changed) == 0);
    must(pthread_join(s->thread, NULL) == 0);
    must(pthread_cond_destroy(&s->changed) == 0 && pthread_mutex_destroy(&s->lock) == 0);
    free(s);
    return NULL;
}

/* Under the lock. */
static enum sweeping look(struct checkpointer *s, struct swept *ret)
{
    enum sweeping state = s->state;

    if (state == SWEEPING_DONE)
        s->state = SWEEPING_NOT;
    if (state == SWEEPING_DONE || state == SWEEPING_FAILED)
        *ret = s->swept;
    return state;
}

enum sweeping checkpointer_look(struct checkpointer *s, struct swept *ret)
{
    enum sweeping state;

    must(pthread_mutex_lock(&s->lock) == 0);
    state = look(s, ret);
    must(pthread_mutex_unlock(&s->lock) == 0);
    return state;
}

enum sweeping checkpointer_wait(struct checkpointer *s, struct swept *ret)
{
    enum sweeping state;

    must(pthread_mutex_lock(&s->lock) == 0);
    while (s->state == SWEEPING_NOW)
        must(pthread_cond_wait(&s->changed, &s->lock) == 0);
    state = look(s, ret);
    must(pthread_mutex_unlock(&s->lock) == 0);
    return state;
}

void checkpointer_ask(struct checkpointer *s)
{
    must(pthread_mutex_lock(&s->lock) == 0);
    must(s->state == SWEEPING_NOT);
    s->state = SWEEPING_NOW;
    must(pthread_mutex_unlock(&s->lock) == 0);
    must(pthread_cond_broadcast(&s->changed) == 0);
}
