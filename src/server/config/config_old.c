/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of settings of other systems, and the search in it.
 */
#include "server/config/config_old.h"

#include "server/config/config_keys.h"

#define CONDUCTOR "conductor.scheduler."
#define JAVACLAW  "javaclaw.scheduler."

#define NO_POLLING "Belfry starts each run at its time and does not poll"
#define NO_BATCH   "Belfry starts everything that is due; turn_rows limits one transaction"
#define NO_ARCHIVE "Belfry keeps runs in their history and moves nothing to an archive"
#define NO_CACHE   "Belfry keeps no cache that can be stale"
#define WORKER_CONCURRENCY                                                                   \
    "each worker sets its concurrency (belfry worker --concurrency), and a queue can have a" \
    " limit"

static const char *const unit_texts[] = {
    [UNIT_NONE] = "", [UNIT_MS] = "ms", [UNIT_S] = "s", [UNIT_HOURS] = "h", [UNIT_DAYS] = "d"};

/*
 * Names without a prefix are read from the file only: in the environment they may belong to
 * another program.
 */
const struct config_old config_olds[] = {
    /* Conductor */
    {CONDUCTOR "enabled", NULL, CONFIG_ENABLED, UNIT_NONE, NULL},
    {CONDUCTOR "jitter-max-ms", NULL, CONFIG_DISPATCH_JITTER, UNIT_MS, NULL},
    {CONDUCTOR "archival-max-records", NULL, CONFIG_CONDUCTOR_KEEP, UNIT_NONE, NULL},
    {CONDUCTOR "archival-max-record-threshold", NULL, OLD_NO_EFFECT, UNIT_NONE,
     "the threshold is always twice archival-max-records"},
    {CONDUCTOR "redis.archival-ttl-days", NULL, CONFIG_RETENTION, UNIT_DAYS, NULL},
    {CONDUCTOR "polling-thread-count", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_POLLING},
    {CONDUCTOR "polling-interval", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_POLLING},
    {CONDUCTOR "poll-batch-size", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_BATCH},
    {CONDUCTOR "scheduler-time-zone", NULL, OLD_NO_EFFECT, UNIT_NONE,
     "a schedule without a zone uses UTC"},
    {CONDUCTOR "initial-delay-ms", NULL, OLD_NO_EFFECT, UNIT_NONE,
     "starts begin as soon as the server is ready"},
    {CONDUCTOR "max-schedule-jitter-ms", NULL, OLD_NO_EFFECT, UNIT_NONE,
     "dispatch_jitter spreads starts, regardless of the load"},
    {CONDUCTOR "archival-thread-count", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_ARCHIVE},
    {CONDUCTOR "archival-poll-batch-size", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_ARCHIVE},
    {CONDUCTOR "archival-maintenance-interval-record-count", NULL, OLD_NO_EFFECT, UNIT_NONE,
     NO_ARCHIVE},
    {CONDUCTOR "archival-maintenance-lock-seconds", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_ARCHIVE},
    {CONDUCTOR "archival-maintenance-lock-try-seconds", NULL, OLD_NO_EFFECT, UNIT_NONE,
     NO_ARCHIVE},
    {CONDUCTOR "cache-enabled", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_CACHE},
    {CONDUCTOR "user-cache-expire-after-write-seconds", NULL, OLD_NO_EFFECT, UNIT_NONE,
     NO_CACHE},
    {CONDUCTOR "user-cache-max-size", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_CACHE},
    /* Temporal */
    {"MaxBufferSize", NULL, CONFIG_BUFFER_LIMIT, UNIT_NONE, NULL},
    {"MinInterval", NULL, CONFIG_MIN_INTERVAL, UNIT_NONE, NULL},
    {"BackfillsPerIteration", NULL, CONFIG_BACKFILL_PORTION, UNIT_NONE, NULL},
    {"BufferWindow", NULL, OLD_NO_EFFECT, UNIT_NONE,
     "Belfry computes slots when they are due, not in advance"},
    /* cronicorn */
    {"SHUTDOWN_TIMEOUT_MS", NULL, CONFIG_DRAIN, UNIT_MS, NULL},
    {"ZOMBIE_RUN_THRESHOLD_MS", NULL, CONFIG_MAX_RUN_TIME, UNIT_MS, NULL},
    {"BATCH_SIZE", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_BATCH},
    {"POLL_INTERVAL_MS", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_POLLING},
    {"CLAIM_HORIZON_MS", NULL, OLD_NO_EFFECT, UNIT_NONE, "nothing is claimed before its time"},
    {"LOCK_TTL_MS", NULL, OLD_NO_EFFECT, UNIT_NONE, "nothing is claimed before its time"},
    {"CLEANUP_INTERVAL_MS", NULL, OLD_NO_EFFECT, UNIT_NONE,
     "each lease ends at its own time; there is no periodic cleanup"},
    {"DB_POOL_MAX", NULL, OLD_NO_EFFECT, UNIT_NONE,
     "one connection writes, and each reader thread has its own connection"},
    /* JavaClaw */
    {JAVACLAW "enabled", NULL, CONFIG_ENABLED, UNIT_NONE, NULL},
    {JAVACLAW "default-timezone", "JAVACLAW_DEFAULT_TZ", CONFIG_DEFAULT_TIMEZONE, UNIT_NONE,
     NULL},
    {JAVACLAW "lease-duration-seconds", NULL, CONFIG_LEASE, UNIT_S, NULL},
    {JAVACLAW "lease-heartbeat-seconds", NULL, CONFIG_HEARTBEAT, UNIT_S, NULL},
    {JAVACLAW "past-execution-ttl-days", NULL, CONFIG_RETENTION, UNIT_DAYS, NULL},
    {JAVACLAW "future-execution-ttl-hours", NULL, CONFIG_FUTURE_TTL, UNIT_HOURS, NULL},
    {JAVACLAW "planner-interval-seconds", NULL, OLD_NO_EFFECT, UNIT_NONE,
     "Belfry computes the plan of a day on request"},
    {JAVACLAW "executor-poll-interval-seconds", NULL, OLD_NO_EFFECT, UNIT_NONE, NO_POLLING},
    {JAVACLAW "executor-pool-size", NULL, OLD_NO_EFFECT, UNIT_NONE, WORKER_CONCURRENCY},
    {JAVACLAW "executor-max-pool-size", NULL, OLD_NO_EFFECT, UNIT_NONE, WORKER_CONCURRENCY},
};

const int config_old_count = sizeof config_olds / sizeof config_olds[0];

static size_t skip_marks(struct str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == '.' || text.ptr[at] == '-' || text.ptr[at] == '_'))
        at++;
    return at;
}

static bool is_same(struct str a, struct str b)
{
    size_t i = 0, j = 0;

    for (;; i++, j++) {
        i = skip_marks(a, i);
        j = skip_marks(b, j);
        if (i == a.len || j == b.len)
            return i == a.len && j == b.len;
        if (!str_eq_nocase((struct str){a.ptr + i, 1}, (struct str){b.ptr + j, 1}))
            return false;
    }
}

const struct config_old *config_old_find(struct str name)
{
    for (int i = 0; i < config_old_count; i++)
        if (is_same(name, str_of(config_olds[i].name)))
            return &config_olds[i];
    return NULL;
}

static bool names_its_system(const struct config_old *old)
{
    return str_starts(str_of(old->name), STR(CONDUCTOR)) ||
           str_starts(str_of(old->name), STR(JAVACLAW));
}

const struct config_old *config_old_find_env(struct str name)
{
    const struct config_old *old = config_old_find(name);

    for (int i = 0; i < config_old_count && !old; i++)
        if (config_olds[i].env && str_eq(name, str_of(config_olds[i].env)))
            old = &config_olds[i];
    return old && names_its_system(old) ? old : NULL;
}

void config_old_value(const struct config_old *old, struct str value, struct buf *out)
{
    bool is_number = value.len > 0;

    for (size_t i = 0; i < value.len; i++)
        is_number = is_number && char_is_digit(value.ptr[i]);
    buf_str(out, value);
    if (is_number)
        buf_text(out, unit_texts[old->unit]);
}

void config_old_describe(const struct config_old *old, struct buf *out)
{
    if (old->id == OLD_NO_EFFECT)
        buf_printf(out, "%s has no effect: %s", old->name, old->why);
    else
        buf_printf(out, "%s sets %s", old->name, config_keys[old->id].name);
}
