/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: a typed value for each key, and its source.
 *
 * The sources are the built-in defaults, a file of `key = value` lines, BELFRY_KEY in the
 * environment, and --key on the command line; later ones override earlier ones.  A
 * configuration never changes after it was read: a reload creates a new one, and
 * config_changes() lists the differences.  The table in server/config/config_keys.c defines the
 * keys with their ranges and help texts.
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
    CONFIG_FILE_MAX = 64 * 1024, /* bytes of the file: every key with a page of comments */
    CONFIG_VALUE_MAX = 4096,     /* bytes of a value: the longest path                   */
    CONFIG_SHOWN_MAX = 8192,     /* bytes of a printed value, which may be longer        */
    CONFIG_TEXTS_MAX = 64,       /* items of a list                                      */
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
    CONFIG_CATALOGUE,
    CONFIG_PAGE,
    CONFIG_KEYS, /* number of keys */
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

/* Texts are zero-terminated; an unset text is empty. */
struct config {
    struct arena *arena;
    struct str file; /* file name for messages; empty: none */
    struct config_source source[CONFIG_KEYS];
    struct config_old_use *olds; /* the old names in use, in order; NULL: none */
    struct str db, state_dir, zoneinfo, default_timezone, seed_dir, tls_cert, tls_key, http_ca;
    struct config_addresses listen, grpc;
    struct config_texts exec_allow, hosts;
    int log, log_level; /* enum log_format, enum log_level */
    bool enabled, insecure, http_allow_private, exec, catalogue, page;
    int plan_warn_per_day, http_concurrency, http_per_host, exec_concurrency;
    int turn_ms, turn_rows, buffer_limit, backfill_portion, conductor_keep;
    int rate_read, rate_write, quota_schedules; /* 0: no limit */
    span min_interval, lease, heartbeat, grace, node_lease, max_run_time, dispatch_jitter;
    span retention, future_ttl, max_jump, drain;
};

struct config_sources {
    const char *file;        /* file name for messages; NULL: none           */
    struct str text;         /* content of the file; config_load() sets it   */
    const char *const *env;  /* "NAME=value" strings, then NULL; may be NULL */
    const char *const *flag; /* a value or NULL for each key; may be NULL    */
    bool is_root;            /* use the state directory of the system        */
};

/*
 * Errors name the source: "belfry.conf:3:9: …", "BELFRY_LEASE=0: …" or "--lease=0: …".  Free
 * the result with config_free().
 */
MUST_USE enum rc config_read(const struct config_sources *sources, struct config **ret,
                             struct err *reterr);

/* The same, but first reads the file sources->file. */
MUST_USE enum rc config_load(const struct config_sources *sources, struct config **ret,
                             struct err *reterr);

struct config *config_free(struct config *config); /* accepts NULL, returns NULL */

/* Prints the value as in a file, without quotes.  Lists are `a, b` or `none`. */
void config_format(const struct config *config, enum config_id id, struct buf *out);

/* The same for people and logs: hides the password and the options of a database URL. */
void config_show(const struct config *config, enum config_id id, struct buf *out);

/* "default", "FILE:LINE", "env" or "flag". */
void config_source_text(const struct config *config, enum config_id id, struct buf *out);

struct config_change {
    enum config_id id;
    bool needs_restart;
};

/*
 * Copies from `old` the keys that only a restart changes, because their users keep the first
 * values.  Call it before another thread can see `fresh`; `old` must outlive it.
 */
void config_keep_restart_keys(struct config *fresh, const struct config *old);

/* Lists the differences in the order of the keys; returns their number. */
int config_changes(const struct config *a, const struct config *b,
                   struct config_change ret[CONFIG_KEYS]);
