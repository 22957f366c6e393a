/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of all settings: names, types, ranges, defaults and help texts.
 */
#include "server/config/config_keys.h"

#include "core/limits.h"
#include "core/policy/policies.h"
#include "engine/engine.h"
#include "wire/http1/http1.h"

#define MILLION 1000000

#define AT(field)           .at = offsetof(struct config, field)
#define TEXT(field, a, b)   .type = CONFIG_TYPE_TEXT, AT(field), .min = (a), .max = (b)
#define PATH(field)         .type = CONFIG_TYPE_PATH, AT(field), .max = CONFIG_VALUE_MAX
#define CHOICE(field, of)   .type = CONFIG_TYPE_CHOICE, AT(field), .choices = (of)
#define BOOL(field)         .type = CONFIG_TYPE_BOOL, AT(field)
#define INT(field, a, b)    .type = CONFIG_TYPE_INT, AT(field), .min = (a), .max = (b)
#define LENGTH(field, a, b) .type = CONFIG_TYPE_SPAN, AT(field), .min = (a), .max = (b)
#define ADDRESSES(field)    .type = CONFIG_TYPE_ADDRESSES, AT(field)
#define TEXTS(field, a, b)  .type = CONFIG_TYPE_TEXTS, AT(field), .min = (a), .max = (b)
#define RESTART             .needs_restart = true

static const char *const log_formats[] = {[LOG_LOGFMT] = "logfmt", [LOG_JSON] = "json", NULL};
static const char *const log_levels[] = {[LEVEL_DEBUG] = "debug",
                                         [LEVEL_INFO] = "info",
                                         [LEVEL_WARN] = "warn",
                                         [LEVEL_ERROR] = "error",
                                         NULL};

/*
 * Accepts the URLs of db_open().  The message does not repeat the text, which may contain a
 * password.
 */
static enum rc check_db(struct str text, struct err *reterr)
{
    static const struct str schemes[] = {
        {"sqlite:", 7}, {"postgres://", 11}, {"postgresql://", 13}};

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (str_starts(text, schemes[i]) && text.len > schemes[i].len)
            return RC_OK;
    return err_set(reterr, RC_INVALID, 0, (int)text.len,
                   "invalid database URL; use sqlite:FILE or postgres://USER@HOST/NAME");
}

static enum rc check_program(struct str text, struct err *reterr)
{
    if (text.ptr[0] == '/' || str_eq(text, STR("*")))
        return RC_OK;
    return err_set(reterr, RC_INVALID, 0, (int)text.len,
                   "invalid program; use a full path such as /usr/bin/true, a directory such "
                   "as /srv/jobs/, or * for all");
}

const struct config_key config_keys[CONFIG_KEYS] = {
    [CONFIG_DB] = {"db", TEXT(db, 0, CONFIG_VALUE_MAX), .check = check_db, RESTART,
                   .help = "database: sqlite:FILE or postgres://USER@HOST/NAME\n"
                           "(default belfry.db in state_dir)"},
    [CONFIG_LISTEN] = {"listen", ADDRESSES(listen), RESTART, .fallback = "7227",
                       .help = "HTTP addresses, a list of ADDR:PORT; a port alone means\n"
                               "loopback (default 7227)"},
    [CONFIG_GRPC] = {"grpc", ADDRESSES(grpc), RESTART, .fallback = "7233",
                     .help = "additional addresses for gRPC, or none (default 7233)"},
    [CONFIG_STATE_DIR] = {"state_dir", PATH(state_dir), RESTART,
                          .help = "directory for the server's files (default\n"
                                  "/var/lib/belfry for root and the service, otherwise in\n"
                                  "the user's home directory)"},
    [CONFIG_ZONEINFO] = {"zoneinfo", PATH(zoneinfo), RESTART, .fallback = "",
                         .help = "directory of time zone files (default: the system's)"},
    [CONFIG_DEFAULT_TIMEZONE] =
        {"default_timezone", TEXT(default_timezone, 1, ZONE_NAME_MAX), .fallback = "UTC",
         .help = "time zone of schedules of the agents API that have no\n"
                 "time zone (default UTC)"},
    [CONFIG_ENABLED] = {"enabled", BOOL(enabled), .fallback = "true",
                        .help = "start runs; if false, the API works and nothing starts\n"
                                "(default true)"},
    [CONFIG_SEED_DIR] = {"seed_dir", PATH(seed_dir), RESTART, .fallback = "",
                         .help = "directory of schedules, in the format of `belfry apply`:\n"
                                 "each start of the server creates those that are missing\n"
                                 "(default none)"},
    [CONFIG_MIN_INTERVAL] = {"min_interval",
                             LENGTH(min_interval, SPEC_EVERY_MIN_MS *SPAN_MS, 366 * SPAN_DAY),
                             .fallback = "1s",
                             .help = "minimum interval of a schedule (default 1s)"},
    [CONFIG_PLAN_WARN_PER_DAY] =
        {"plan_warn_per_day", INT(plan_warn_per_day, 0, 100 * MILLION), .fallback = "1440",
         .help = "warn about a schedule with more runs per day; 0: never\n"
                 "(default 1440)"},
    [CONFIG_LOG] = {"log", CHOICE(log, log_formats), .fallback = "logfmt",
                    .help = "format of the log on standard error: logfmt or json\n"
                            "(default logfmt)"},
    [CONFIG_LOG_LEVEL] = {"log_level", CHOICE(log_level, log_levels), .fallback = "info",
                          .help = "minimum log level: debug, info, warn or error\n"
                                  "(default info)"},
    [CONFIG_TLS_CERT] = {"tls_cert", PATH(tls_cert), .fallback = "",
                         .help = "certificate chain of the listeners, PEM (default none)"},
    [CONFIG_TLS_KEY] = {"tls_key", PATH(tls_key), .fallback = "",
                        .help = "private key of the certificate, PEM (default none)"},
    [CONFIG_INSECURE] = {"insecure", BOOL(insecure), RESTART, .fallback = "false",
                         .help = "accept other machines without TLS (default false)"},
    [CONFIG_HOSTS] = {"hosts", TEXTS(hosts, 1, HTTP1_HOST_MAX), .fallback = "none",
                      .help = "additional host names of this server, for requests\n"
                              "through a proxy on this machine: a list (default none)"},
    [CONFIG_HTTP_CONCURRENCY] = {"http_concurrency", INT(http_concurrency, 1, 10000), RESTART,
                                 .fallback = "256",
                                 .help = "maximum concurrent http actions (default 256)"},
    [CONFIG_HTTP_PER_HOST] = {"http_per_host", INT(http_per_host, 1, 10000), RESTART,
                              .fallback = "32",
                              .help = "maximum concurrent http actions per host (default 32)"},
    [CONFIG_HTTP_ALLOW_PRIVATE] =
        {"http_allow_private", BOOL(http_allow_private), RESTART, .fallback = "false",
         .help = "allow http actions to call this machine and private\n"
                 "networks (default false)"},
    [CONFIG_HTTP_CA] = {"http_ca", PATH(http_ca), RESTART, .fallback = "",
                        .help = "CA certificates, PEM, to verify called URLs and\n"
                                "upstreams (default: the system's)"},
    [CONFIG_EXEC] = {"exec", BOOL(exec), RESTART, .fallback = "false",
                     .help = "allow exec actions to run programs on this machine\n"
                             "(default false)"},
    [CONFIG_EXEC_CONCURRENCY] = {"exec_concurrency", INT(exec_concurrency, 1, 1000), RESTART,
                                 .fallback = "16",
                                 .help = "maximum concurrent exec actions (default 16)"},
    [CONFIG_EXEC_ALLOW] = {"exec_allow", TEXTS(exec_allow, 1, CONFIG_VALUE_MAX),
                           .check = check_program, RESTART, .fallback = "*",
                           .help = "programs that exec actions may run: a list of paths,\n"
                                   "directories that end in /, or * for all (default *)"},
    [CONFIG_LEASE] = {"lease", LENGTH(lease, SPAN_S, SPAN_DAY), .fallback = "90s",
                      .help = "time that a worker holds a run without a heartbeat\n"
                              "(default 90s)"},
    [CONFIG_HEARTBEAT] = {"heartbeat", LENGTH(heartbeat, SPAN_S / 2, SPAN_DAY),
                          .fallback = "30s",
                          .help = "interval at which the server expects heartbeats from\n"
                                  "workers (default 30s)"},
    [CONFIG_GRACE] = {"grace", LENGTH(grace, 0, SPAN_DAY), .fallback = "30s",
                      .help = "time added to a lease before another worker gets the run\n"
                              "(default 30s)"},
    [CONFIG_NODE_LEASE] = {"node_lease", LENGTH(node_lease, 2 * SPAN_S, SPAN_H), RESTART,
                           .fallback = "10s",
                           .help = "node heartbeat timeout: a node that is silent for longer\n"
                                   "than this counts as dead (default 10s)"},
    [CONFIG_MAX_RUN_TIME] = {"max_run_time", LENGTH(max_run_time, 0, 366 * SPAN_DAY),
                             .fallback = "24h",
                             .help = "default maximum run time; 0s: no limit (default 24h)"},
    [CONFIG_TURN_MS] = {"turn_ms", INT(turn_ms, 1, 1000), .fallback = "25",
                        .help = "target duration of one transaction, in milliseconds\n"
                                "(default 25)"},
    [CONFIG_TURN_ROWS] = {"turn_rows", INT(turn_rows, TURN_ROWS_MIN, TURN_ROWS_MAX),
                          .fallback = "4096",
                          .help = "maximum schedules per transaction (default 4096)"},
    [CONFIG_DISPATCH_JITTER] =
        {"dispatch_jitter", LENGTH(dispatch_jitter, 0, DISPATCH_JITTER_MAX), RESTART,
         .fallback = "0s",
         .help = "spread starts that are due together over this time; the\n"
                 "delay depends on the schedule, slots stay exact\n"
                 "(default 0s, maximum 1m)"},
    [CONFIG_BUFFER_LIMIT] = {"buffer_limit", INT(buffer_limit, 1, BUFFER_LIMIT_MAX),
                             .fallback = "1000",
                             .help = "default maximum of waiting starts per schedule\n"
                                     "(default 1000)"},
    [CONFIG_BACKFILL_PORTION] =
        {"backfill_portion", INT(backfill_portion, 1, 1000), RESTART, .fallback = "100",
         .help = "maximum backfill slots that one transaction starts per\n"
                 "schedule (default 100)"},
    [CONFIG_RETENTION] = {"retention", LENGTH(retention, 0, 36525 * SPAN_DAY),
                          .fallback = "90d",
                          .help = "default time to keep history; 0s: forever (default 90d)"},
    [CONFIG_FUTURE_TTL] = {"future_ttl", LENGTH(future_ttl, 0, 366 * SPAN_DAY),
                           .fallback = "2d",
                           .help = "how long the agents API still shows cancelled slots of\n"
                                   "a plan (default 2d)"},
    [CONFIG_MAX_JUMP] = {"max_jump", LENGTH(max_jump, SPAN_S, 366 * SPAN_DAY), .fallback = "1h",
                         .help = "a larger step of the clock stops all starts (default 1h)"},
    [CONFIG_DRAIN] = {"drain", LENGTH(drain, 0, SPAN_DAY), .fallback = "30s",
                      .help = "time that runs have to finish when the server stops\n"
                              "(default 30s)"},
    [CONFIG_RATE_READ] = {"rate_read", INT(rate_read, 0, MILLION), .fallback = "0",
                          .help = "maximum reads per minute and client; 0: no limit\n"
                                  "(default 0)"},
    [CONFIG_RATE_WRITE] = {"rate_write", INT(rate_write, 0, MILLION), .fallback = "0",
                           .help = "maximum writes per minute and client; 0: no limit\n"
                                   "(default 0)"},
    [CONFIG_QUOTA_SCHEDULES] =
        {"quota_schedules", INT(quota_schedules, 0, 1000 * MILLION), .fallback = "0",
         .help = "maximum schedules per namespace; 0: no limit (default 0)"},
    [CONFIG_CONDUCTOR_KEEP] = {"conductor_keep", INT(conductor_keep, 1, 1000), .fallback = "5",
                               .help =
                                   "number of runs to keep for each schedule of the\n"
                                   "Conductor API; when there are more than twice as many,\n"
                                   "the oldest are deleted (default 5)"},
    [CONFIG_CATALOGUE] = {"catalogue", BOOL(catalogue), RESTART, .fallback = "true",
                          .help = "keep the schedules in memory, to sort and count them;\n"
                                  "some 150 bytes each (default true)"},
    [CONFIG_PAGE] = {"page", BOOL(page), .fallback = "true",
                     .help = "serve the web page at / (default true)"},
};

static bool is_name(struct str text, const char *name)
{
    if (text.len != strlen(name))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != name[i] && !(text.ptr[i] == '-' && name[i] == '_'))
            return false;
    return true;
}

int config_key_find(struct str name)
{
    for (int i = 0; i < CONFIG_KEYS; i++)
        if (is_name(name, config_keys[i].name))
            return i;
    return -1;
}

int config_key_nearest(struct str name)
{
    const char *names[CONFIG_KEYS];

    for (int i = 0; i < CONFIG_KEYS; i++)
        names[i] = config_keys[i].name;
    return str_nearest(name, names, CONFIG_KEYS);
}
