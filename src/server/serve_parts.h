/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of serve.  Other files do not include it.
 */
#pragma once

#include "api/openapi/openapi.h"
#include "db/hosts.h"
#include "io/log_out.h"
#include "io/zoneinfo.h"
#include "server/balance_thread.h"
#include "server/catalogue_thread.h"
#include "server/dispatch/dispatch.h"
#include "server/frontend/frontend.h"
#include "server/frontend/preflight.h"
#include "server/postgres_notify.h"
#include "server/serve.h"

enum {
    READERS = 3,         /* two quick ones, then the slow one                      */
    DESCRIPTORS = 32768, /* connections, requests and programs at their limits     */
    NODE_NAME_MAX = 100, /* below DB_NOTE_MAX; Linux limits host names to 64 bytes */
    STATUS_FAILED = 1,
    CONFIGS_MAX = 1000,  /* reloads of the configuration, 64 KiB each           */
    ZONES_KEPT = 100,    /* reloads of time zones, 400 KiB each; a few per year */
    TEXTS_MAX = 2 << 20, /* the OpenAPI document, and space to build it         */
    ZONES_EVERY = 60,    /* pulses between two checks of the time zone files    */
};

#define PULSE SPAN_S /* interval of checks: log, time zones, watchdog */

enum stage { SERVING, DRAINING, RELEASING, STOPPING, CLOSING };

struct serve {
    const struct serve_options *options;
    const struct config *config; /* the current one */
    struct config *configs[CONFIGS_MAX];
    struct api_context *contexts[CONFIGS_MAX]; /* one for each of `configs` */
    int config_count;
    struct arena *texts; /* texts that are the same for every client */
    struct openapi openapi;
    struct log log;
    struct db_hosts hosts;
    struct log_out *log_out;
    struct loop *loop;
    struct loop_timer *pulse, *deadline;
    struct listener *listener;
    struct zoneinfo *zones, *old_zones[ZONES_KEPT];
    int old_zone_count;
    struct mailbox *to_writer, *to_io;
    struct frontend *frontend;
    struct preflight *preflight;
    struct seeds *seeds;
    struct writer *writer;
    struct reader *readers[READERS];
    struct catalogue_thread *catalogue; /* NULL: switched off */
    struct balance_thread *balance;
    struct dispatcher *dispatcher;
    struct forwarder *forwarder;
    struct postgres_notify *notify;
    int64_t pulses;
    uint16_t port; /* of the first listener */
    struct address_net self_nets[2 * LISTENER_ADDRESSES_MAX];
    int self_net_count;
    _Atomic int64_t finished[LANE_COUNT];
    _Atomic bool is_halted; /* an operator wants this node to start nothing */
    struct commit_signal signal;
    struct counters counters;
    instant started_at;
    char address[NODE_NAME_MAX + 1]; /* URL of the first listener, for people */
    char node[NODE_NAME_MAX + 1];
    char zones_version[64];
    enum stage stage;
    bool is_ready, listener_closed, dispatcher_closing;
    bool has_tls; /* of all listeners */
    int status;
};

/* serve_tls.c: the certificate, at the start and at each reload */
MUST_USE enum rc serve_open_tls(struct serve *s, struct err *reterr);
void serve_reload_tls(struct serve *s);

/* serve_reload.c.  Reloads time zones if their version changed or if `is_forced`. */
void serve_reload_config(struct serve *s);
void serve_reload_zones(struct serve *s, bool is_forced);

/*
 * serve_check.c.  Checks at the start and at each reload; otherwise a bad value would show only
 * when it is needed, perhaps hours later.
 */
MUST_USE enum rc serve_check_config(struct serve *s, const struct config *config,
                                    struct err *reterr);

/* serve_ready.c: announces that the server is ready */
void serve_announce_ready(struct serve *s);

/* self_targets.c: forbids HTTP actions to call the listener at this address */
void serve_deny_self(struct serve *s, const struct config_address *address, uint16_t port);

/* serve_context.c: what operations may use */
struct api_context serve_context(struct serve *s);

/* serve_metrics.c: the metrics that do not come from the database */
bool serve_print_metrics(void *arg, struct answer *out,
                         struct context_latest latest[static CONTEXT_LATEST_MAX]);
