/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the io thread does between the outside and the other threads: requests become
 * tickets, tickets become answers, runs become calls, calls become reports.
 */
#pragma once

#include "io/net/listener.h"
#include "server/commit_signal.h"
#include "server/dispatch/dispatch.h"
#include "server/frontend/apply_seeds.h"
#include "server/frontend/namespace_cache.h"
#include "server/reader.h"
#include "server/writer.h"

enum { DOOR_READERS_MAX = 8 };

struct door_options {
    struct loop *loop;
    struct log *log;
    const struct config *config;
    const struct serve_seam *seam;
    struct mailbox *memos, *notices;
    struct api_context context;
    _Atomic int64_t *finished; /* see struct writer_options */
    struct news *news;         /* likewise                  */
    bool has_others;           /* nodes on the same database, perhaps */
    struct meters *meters;
    struct seeds *seeds; /* NULL: none; outlives the door */
};

struct door; /* opaque */

struct door *door_new(const struct door_options *options);

/* For the listener. */
struct listener_handler door_handler(struct door *door);

/* Who works behind it; before the first request. */
void door_staff(struct door *door, struct writer *writer, struct reader *const *readers,
                int count, struct calls *calls);

/* For calls_options. */
void door_on_told(void *door, struct told *told);
const struct settings *door_settings(void *door, int64_t namespace);

/* All notices that wait; true when the writer has ended. */
bool door_take(struct door *door);

/* What counts from now on; and the calls have been closed. */
void door_reload(struct door *door, const struct config *config,
                 const struct api_context *context);
void door_staff_left(struct door *door);

/* For api_context; an empty name: one for workflows that name none. */
bool door_has_upstream(const struct door *door, struct str namespace, struct str upstream);
/* Schedules that the namespace may have: its own setting, else the configuration's. */
int64_t door_quota(const struct door *door, struct str namespace);

/* Why requests are refused, or NULL: it is ready. */
const char *door_not_ready(const struct door *door);
/* All that stands in the way: how many. */
int door_reasons(const struct door *door,
                 struct context_reason reasons[static CONTEXT_REASONS_MAX]);
/* Requests that are under way; and whether the database can be asked. */
int door_count(const struct door *door);
bool door_has_database(const struct door *door);
/* From now on it is not, for this reason. */
void door_closing(struct door *door, const char *why);

/* The writer claims no more: no run will come.  Also when it cannot, without a database. */
bool door_is_drained(const struct door *door);

/* Tickets that are with other threads. */
int door_busy(const struct door *door);

/* The other threads have ended: what they still had is over, and its clients see that. */
void door_abandon(struct door *door);

/* Only after door_abandon(), once the listener is closed.  Accepts NULL, returns NULL. */
struct door *door_free(struct door *door);
