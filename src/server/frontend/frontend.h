/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the io thread does between the outside and the other threads: requests become
 * tickets, tickets become answers, runs become calls, calls become reports.
 */
#pragma once

#include "io/net/listener.h"
#include "server/commit_signal.h"
#include "server/dispatch/dispatch.h"
#include "server/frontend/namespace_cache.h"
#include "server/frontend/seeds.h"
#include "server/reader.h"
#include "server/writer.h"

enum { FRONTEND_READERS_MAX = 8 };

struct frontend_options {
    struct loop *loop;
    struct log *log;
    const struct config *config;
    const struct serve_seam *seam;
    struct mailbox *to_writer, *to_io;
    struct api_context context;
    _Atomic int64_t *finished;    /* see struct writer_options */
    struct commit_signal *signal; /* likewise                  */
    bool has_others;              /* nodes on the same database, perhaps */
    struct counters *counters;
    struct seeds *seeds; /* NULL: none; outlives the frontend */
};

struct frontend; /* opaque */

struct frontend *frontend_new(const struct frontend_options *options);

/* For the listener. */
struct listener_handler frontend_handler(struct frontend *frontend);

/* Who works behind it; before the first request. */
void frontend_staff(struct frontend *frontend, struct writer *writer,
                    struct reader *const *readers, int count, struct dispatcher *dispatcher);

/* For dispatcher_options. */
void frontend_on_report(void *frontend, struct dispatch_report *reported);
const struct namespace_settings *frontend_settings(void *frontend, int64_t namespace);

/* All notices that wait; true when the writer has ended. */
bool frontend_take(struct frontend *frontend);

/* What counts from now on; and the calls have been closed. */
void frontend_reload(struct frontend *frontend, const struct config *config,
                     const struct api_context *context);
void frontend_staff_left(struct frontend *frontend);

/* For api_context; an empty name: one for workflows that name none. */
bool frontend_has_upstream(const struct frontend *frontend, struct str namespace,
                           struct str upstream);
/* Schedules that the namespace may have: its own setting, else the configuration's. */
int64_t frontend_quota(const struct frontend *frontend, struct str namespace);

/* Why requests are refused, or NULL: it is ready. */
const char *frontend_not_ready(const struct frontend *frontend);
/* All that stands in the way: how many. */
int frontend_reasons(const struct frontend *frontend,
                     struct context_reason reasons[static CONTEXT_REASONS_MAX]);
/* Requests that are under way; and whether the database can be asked. */
int frontend_count(const struct frontend *frontend);
bool frontend_has_database(const struct frontend *frontend);
/* From now on it is not, for this reason. */
void frontend_closing(struct frontend *frontend, const char *why);

/* The writer claims no more: no run will come.  Also when it cannot, without a database. */
bool frontend_is_drained(const struct frontend *frontend);

/* Tickets that are with other threads. */
int frontend_busy(const struct frontend *frontend);

/* The other threads have ended: what they still had is over, and its clients see that. */
void frontend_abandon(struct frontend *frontend);

/* Only after frontend_abandon(), once the listener is closed.  Accepts NULL, returns NULL. */
struct frontend *frontend_free(struct frontend *frontend);
