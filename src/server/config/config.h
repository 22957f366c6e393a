/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: one value with a type for each key, and where it came from.
 *
 * Built-in defaults, then a file of `key = value` lines, then BELFRY_KEY in the environment,
 * then --key on the command line; the later wins.  A configuration never changes once it is
 * read: a reload makes a new one, and config_changes() says what differs.  What the keys are,
 * with their ranges and help, is the table of server/config/config_keys.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/log.h"
#include "server/config/config_address.h"

enum {
    CONFIG_FILE_MAX = 64 * 1024, /* bytes of the file: every key with a page of comment    */
    CONFIG_VALUE_MAX = 4096,     /* bytes of one value: the longest path                   */
    CONFIG_SHOWN_MAX = 8192,     /* and of one as it is printed, which may be longer       */
    CONFIG_TEXTS_MAX = 64,       /* items of one list                                      */
};

enum config_id {
    CONFIG_DB,
    CONFIG_LISTEN,
    CONFIG_GRPC,
    CONFIG_STATE_DIR,
    CONFIG_ZONEINFO,
    CONFIG_DEFAULT_TIMEZONE,
    CONFIG_ENABLED,
    CONFIG_SEED_DIR,
    CONFIG_MIN_INTERVAL,
    CONFIG_PLAN_WARN_PER_DAY,
    CONFIG_LOG,
    CONFIG_LOG_LEVEL,
    CONFIG_TLS_CERT,
    CONFIG_TLS_KEY,
    CONFIG_INSECURE,
    CONFIG_HOSTS,
    CONFIG_HTTP_CONCURRENCY,
    CONFIG_HTTP_PER_HOST,
    CONFIG_HTTP_ALLOW_PRIVATE,
    CONFIG_HTTP_CA,
    CONFIG_EXEC,
    CONFIG_EXEC_CONCURRENCY,
    CONFIG_EXEC_ALLOW,
    CONFIG_LEASE,
    CONFIG_HEARTBEAT,
    CONFIG_GRACE,
    CONFIG_NODE_LEASE,
    CONFIG_MAX_RUN_TIME,
    CONFIG_TURN_MS,
    CONFIG_TURN_ROWS,
    CONFIG_DISPATCH_JITTER,
    CONFIG_BUFFER_LIMIT,
    CONFIG_BACKFILL_PORTION,
    CONFIG_RETENTION,
    CONFIG_FUTURE_TTL,
    CONFIG_MAX_JUMP,
    CONFIG_DRAIN,
    CONFIG_RATE_READ,
    CONFIG_RATE_WRITE,
    CONFIG_QUOTA_SCHEDULES,
    CONFIG_CONDUCTOR_KEEP,
    CONFIG_KEYS, /* how many */
};

struct config_texts {
    const struct str *list;
    int count;
};

enum config_from { CONFIG_FROM_DEFAULT, CONFIG_FROM_FILE, CONFIG_FROM_ENV, CONFIG_FROM_FLAG };

struct config_source {
    enum config_from from;
    int line; /* of the file */
};

/* Texts are terminated by a zero; one that is not set is empty. */
struct config {
    struct arena *arena;
    struct str file; /* its name, for people; empty: none */
    struct config_source source[CONFIG_KEYS];
    struct config_old_use *olds; /* server/config/config_old.h, as they were read; NULL: none */
    struct str db, state_dir, zoneinfo, default_timezone, seed_dir, tls_cert, tls_key, http_ca;
    struct config_addresses listen, grpc;
    struct config_texts exec_allow, hosts;
    int log, log_level; /* enum log_format, enum log_level */
    bool enabled, insecure, http_allow_private, exec;
    int plan_warn_per_day, http_concurrency, http_per_host, exec_concurrency;
    int turn_ms, turn_rows, buffer_limit, backfill_portion, conductor_keep;
    int rate_read, rate_write, quota_schedules; /* 0: no limit */
    span min_interval, lease, heartbeat, grace, node_lease, max_run_time, dispatch_jitter;
    span retention, future_ttl, max_jump, drain;
};

struct config_sources {
    const char *file;        /* its name, for messages; NULL: there is none            */
    struct str text;         /* what it holds; config_load() fills it                  */
    const char *const *env;  /* "NAME=value" up to NULL; may be NULL                   */
    const char *const *flag; /* of each key its value, or NULL; may itself be NULL     */
    bool is_root;            /* then the state is the system's, not a person's         */
};

/*
 * The message names the place, "belfry.conf:3:9: …", "BELFRY_LEASE: …" or "--lease: …".
 * config_free() in the end.
 */
MUST_USE enum rc config_read(const struct config_sources *sources, struct config **ret,
                             struct err *reterr);

/* Likewise, but reads the file that is named. */
MUST_USE enum rc config_load(const struct config_sources *sources, struct config **ret,
                             struct err *reterr);

struct config *config_free(struct config *config); /* accepts NULL, returns NULL */

/* As it would stand in a file, without quotes.  Lists are `a, b` or `none`. */
void config_format(const struct config *config, enum config_id id, struct buf *out);

/* The same for people and logs: the password of a database is not shown. */
void config_show(const struct config *config, enum config_id id, struct buf *out);

/* "default", "FILE:LINE", "env" or "flag". */
void config_source_text(const struct config *config, enum config_id id, struct buf *out);

struct config_change {
    enum config_id id;
    bool needs_restart;
};

/*
 * What needs a restart stays as it was at the start, since those who use it do not change.
 * Before anybody else knows of `fresh`; `old` outlives it.
 */
void config_keep(struct config *fresh, const struct config *old);

/* What differs between two configurations, in the order of the keys; returns how many. */
int config_changes(const struct config *a, const struct config *b,
                   struct config_change ret[CONFIG_KEYS]);
