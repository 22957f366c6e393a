/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that keeps the catalogue of schedules (api/catalogue) up to date, on its own
 * read-only connection, with a low priority and a limited number of reads per second.
 *
 * A lock lets it change the catalogue for a few hundred microseconds, or readers query it.
 */
#pragma once

#include "api/catalogue/catalogue_query.h"
#include "api/catalogue/catalogue_visit.h"
#include "base/budget.h"
#include "base/log.h"
#include "server/config/config.h"

struct catalogue_thread; /* opaque */
struct db_hosts;

/* Returns NULL if the configuration switches it off.  It reads nothing until it is started. */
struct catalogue_thread *catalogue_thread_new(const struct config *config, struct log *log,
                                              struct db_hosts *hosts, uint64_t seed);

/* Starts it; the schema must be up to date.  Accepts NULL. */
void catalogue_thread_start(struct catalogue_thread *thread);

/*
 * Reads this schedule again soon; for changes without an event, after their commit.  Any thread
 * may call it; it never waits.  Accepts NULL.
 */
void catalogue_thread_note(struct catalogue_thread *thread, int64_t schedule);

/* For readers.  False: the budget is used up. */
bool catalogue_thread_query(struct catalogue_thread *thread,
                            const struct catalogue_query *query, struct budget *budget,
                            struct arena *arena, struct catalogue_page *ret);

/* For readers, the same. */
bool catalogue_thread_visit(struct catalogue_thread *thread, struct catalogue_visit *visit,
                            struct budget *budget);

/* For metrics; any thread may ask. */
struct catalogue_state {
    bool is_loaded;
    int64_t entries, bytes;
    instant as_of; /* INSTANT_NONE: not loaded     */
    span loading;  /* how long the loading took; 0 */
};
struct catalogue_state catalogue_thread_state(const struct catalogue_thread *thread);

/* Stops it, if it was started, and closes its connection.  Accepts NULL. */
void catalogue_thread_stop(struct catalogue_thread *thread);
/* No other thread may use it any more.  Accepts NULL, returns NULL. */
struct catalogue_thread *catalogue_thread_free(struct catalogue_thread *thread);
