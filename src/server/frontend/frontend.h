/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the io thread between the listener and the other threads: it turns requests into
 * tickets, tickets into answers, orders into dispatches, and their ends into reports.
 */
#pragma once

#include "io/net/listener.h"
#include "server/commit_signal.h"
#include "server/dispatch/dispatch.h"
#include "server/forward/forwarder.h"
#include "server/frontend/namespace_cache.h"
#include "server/frontend/seeds.h"
#include "server/reader.h"
#include "server/writer.h"

struct frontend_options {
    struct loop *loop;
    struct log *log;
    const struct config *config;
    const struct serve_seam *seam;
    struct mailbox *to_writer, *to_io;
    struct api_context context;
    _Atomic int64_t *finished;    /* see struct writer_options             */
    struct commit_signal *signal; /* see struct writer_options             */
    bool has_others;              /* other nodes may use the same database */
    struct counters *counters;
    struct seeds *seeds; /* NULL: none; must outlive the frontend */
};

struct frontend; /* opaque */

struct frontend *frontend_new(const struct frontend_options *options);

struct listener_handler frontend_handler(struct frontend *frontend);

/* Sets the other parts of the server.  Call it before the first request. */
void frontend_connect(struct frontend *frontend, struct writer *writer,
                      struct reader *const *quick, int count, struct reader *slow,
                      struct dispatcher *dispatcher);

/* Likewise. */
void frontend_set_forwarder(struct frontend *frontend, struct forwarder *forwarder);

/* For dispatcher_options. */
void frontend_on_report(void *frontend, struct dispatch_report *reported);
const struct dispatch_settings *frontend_settings(void *frontend, int64_t namespace);

/* Handles waiting messages.  Returns true when the writer has ended. */
bool frontend_receive(struct frontend *frontend);

/* Uses a new configuration from now on. */
void frontend_reload(struct frontend *frontend, const struct config *config,
                     const struct api_context *context);

void frontend_dispatcher_closed(struct frontend *frontend);

/* Valid as long as the frontend. */
struct namespace_cache *frontend_namespaces(const struct frontend *frontend);

/* For api_context.  An empty `upstream` means the default one. */
bool frontend_has_upstream(const struct frontend *frontend, struct str namespace,
                           struct str upstream);
/* See search_attributes of struct api_context.  For any thread. */
void frontend_search_attributes(const struct frontend *frontend, struct str namespace,
                                struct arena *arena, struct context_attributes *ret);
/* The schedule quota of the namespace: its own setting or that of the configuration. */
int64_t frontend_quota(const struct frontend *frontend, struct str namespace);

/* Returns why requests are rejected, or NULL if the server is ready. */
const char *frontend_unready_reason(const struct frontend *frontend);
/* Lists all reasons; returns their number. */
int frontend_reasons(const struct frontend *frontend,
                     struct context_reason reasons[static CONTEXT_REASONS_MAX]);
/* The number of requests in progress. */
int frontend_count(const struct frontend *frontend);
bool frontend_has_database(const struct frontend *frontend);
/* Rejects requests from now on, for this reason. */
void frontend_reject_requests(struct frontend *frontend, const char *why);

/* The writer claims no more runs, or cannot because the database is unavailable. */
bool frontend_is_drained(const struct frontend *frontend);

/* The other threads have ended: ends all tickets and cuts the connections of their clients. */
void frontend_abandon(struct frontend *frontend);

/*
 * Call it after frontend_abandon() and after the listener is closed.  Accepts NULL, returns
 * NULL.
 */
struct frontend *frontend_free(struct frontend *frontend);
