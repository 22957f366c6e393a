/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of serve share.
 */
#pragma once

#include "api/openapi/openapi.h"
#include "io/log_out.h"
#include "io/zoneinfo.h"
#include "server/dispatch/dispatch.h"
#include "server/frontend/frontend.h"
#include "server/postgres_notify.h"
#include "server/serve.h"

enum {
    READERS = 2,
    DESCRIPTORS = 32768, /* connections, calls and programs, all at their most */
    NODE_NAME_MAX = 100, /* below DB_NOTE_MAX; Linux has 64 bytes for a host */
    STATUS_FAILED = 1,
    CONFIGS_MAX = 1000,  /* times that the configuration is read anew, 64 KiB each */
    ZONES_KEPT = 100,    /* files of zones, 400 KiB each; some a year are published */
    TEXTS_MAX = 2 << 20, /* the description of the API, with room for its making   */
    ZONES_EVERY = 60,    /* pulses between two looks at the files of zones          */
};

#define PULSE SPAN_S /* looks at the log, the zones and the watchdog */

enum stage { SERVING, DRAINING, HANDING_BACK, STOPPING, CLOSING };

struct serve {
    const struct serve_options *options;
    const struct config *config; /* the one that counts */
    struct config *configs[CONFIGS_MAX];
    struct api_context *contexts[CONFIGS_MAX]; /* as many */
    int config_count;
    struct arena *texts; /* what is answered to all alike, once it is made */
    struct openapi openapi;
    struct log log;
    struct log_out *log_out;
    struct loop *loop;
    struct loop_timer *pulse, *deadline;
    struct listener *listener;
    struct zoneinfo *zones, *old_zones[ZONES_KEPT];
    int old_zone_count;
    struct mailbox *to_writer, *to_io;
    struct frontend *frontend;
    struct seeds *seeds;
    struct writer *writer;
    struct reader *readers[READERS];
    struct dispatcher *dispatcher;
    struct postgres_notify *notify;
    int64_t pulses;
    uint16_t port; /* the first that it listens on */
    struct address_net self_nets[2 * LISTENER_ADDRESSES_MAX];
    int self_net_count;
    _Atomic int64_t finished[LANE_COUNT];
    _Atomic bool is_halted; /* somebody wants that this node starts nothing */
    struct commit_signal signal;
    struct counters counters;
    instant started_at;
    char address[NODE_NAME_MAX + 1]; /* where it listens, for people */
    char node[NODE_NAME_MAX + 1];
    char zones_version[64];
    enum stage stage;
    bool is_ready, listener_closed, dispatcher_closing;
    bool has_tls; /* all that it listens on */
    int status;
};

/* serve_tls.c: the certificate, at the start and at each reload */
MUST_USE enum rc serve_open_tls(struct serve *s, struct err *reterr);
void serve_reload_tls(struct serve *s);

/* serve_reload.c: zones when they are others by their version, or may be by somebody's word */
void serve_reload_config(struct serve *s);
void serve_reload_zones(struct serve *s, bool in_any_case);

/*
 * serve_named.c: whether there is what a configuration names.  At the start and at each reload:
 * otherwise it would show when it is needed, hours later.
 */
MUST_USE enum rc serve_check_named(struct serve *s, const struct config *config,
                                   struct err *reterr);

/* serve_ready.c: that it may be used, to all who wait for it */
void serve_say_ready(struct serve *s);

/* serve_own.c: what calls of this server must not reach */
void serve_deny_own(struct serve *s, const struct config_address *address, uint16_t port);

/* serve_context.c: what the operations may know */
struct api_context serve_context(struct serve *s);

/* serve_metrics.c: what /metrics tells beside what the database knows */
bool serve_print_metrics(void *arg, struct answer *out,
                         struct context_latest latest[static CONTEXT_LATEST_MAX]);
