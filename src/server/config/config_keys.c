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
                   "this is not the URL of a database; write sqlite:FILE or "
                   "postgres://USER@HOST/NAME");
}

static enum rc check_program(struct str text, struct err *reterr)
{
    if (text.ptr[0] == '/' || str_eq(text, STR("*")))
        return RC_OK;
    return err_set(reterr, RC_INVALID, 0, (int)text.len,
                   "write a whole path such as /usr/bin/true, a folder such as /srv/jobs/, or "
                   "* for every program");
}

const struct config_key config_keys[CONFIG_KEYS] = {
    [CONFIG_DB] = {"db", TEXT(db, 0, CONFIG_VALUE_MAX), .check = check_db, RESTART,
                   .help = "the database: sqlite:FILE or postgres://USER@HOST/NAME;\n"
                           "default belfry.db in state_dir"},
    [CONFIG_LISTEN] = {"listen", ADDRESSES(listen), RESTART, .fallback = "7227",
                       .help = "addresses for HTTP, a list of ADDR:PORT; a port alone is\n"
                               "this machine only"},
    [CONFIG_GRPC] = {"grpc", ADDRESSES(grpc), RESTART, .fallback = "7233",
                     .help = "further addresses for gRPC, or none"},
    [CONFIG_STATE_DIR] = {"state_dir", PATH(state_dir), RESTART,
                          .help = "where the program keeps its files; default\n"
                                  "/var/lib/belfry, or below the home of a person"},
    [CONFIG_ZONEINFO] = {"zoneinfo", PATH(zoneinfo), RESTART, .fallback = "",
                         .help = "time zone files; default the system's"},
    [CONFIG_DEFAULT_TIMEZONE] = {"default_timezone", TEXT(default_timezone, 1, ZONE_NAME_MAX),
                                 .fallback = "UTC",
                                 .help = "zone of agents' schedules that name none"},
    [CONFIG_ENABLED] = {"enabled", BOOL(enabled), .fallback = "true",
                        .help = "start runs; false: the API answers, nothing is started"},
    [CONFIG_SEED_DIR] = {"seed_dir", PATH(seed_dir), RESTART, .fallback = "",
                         .help = "a folder of schedules as `apply` reads them: those\n"
                                 "that are missing at a start are created"},
    [CONFIG_MIN_INTERVAL] = {"min_interval",
                             LENGTH(min_interval, SPEC_EVERY_MIN_MS *SPAN_MS, 366 * SPAN_DAY),
                             .fallback = "1s",
                             .help = "shortest interval that a schedule may ask for"},
    [CONFIG_PLAN_WARN_PER_DAY] = {"plan_warn_per_day", INT(plan_warn_per_day, 0, 100 * MILLION),
                                  .fallback = "1440",
                                  .help = "warn of a schedule with more runs a day; 0: never"},
    [CONFIG_LOG] = {"log", CHOICE(log, log_formats), .fallback = "logfmt",
                    .help = "form of the log on standard error: logfmt or json"},
    [CONFIG_LOG_LEVEL] = {"log_level", CHOICE(log_level, log_levels), .fallback = "info",
                          .help = "least level: debug, info, warn or error"},
    [CONFIG_TLS_CERT] = {"tls_cert", PATH(tls_cert), .fallback = "",
                         .help = "certificate chain of the listeners, PEM"},
    [CONFIG_TLS_KEY] = {"tls_key", PATH(tls_key), .fallback = "",
                        .help = "key of the certificate, PEM"},
    [CONFIG_INSECURE] = {"insecure", BOOL(insecure), RESTART, .fallback = "false",
                         .help = "let other machines in without TLS"},
    [CONFIG_HOSTS] = {"hosts", TEXTS(hosts, 1, HTTP1_HOST_MAX), .fallback = "none",
                      .help = "further names of this server, which a proxy on this machine\n"
                              "may ask for: a list, or none"},
    [CONFIG_HTTP_CONCURRENCY] = {"http_concurrency", INT(http_concurrency, 1, 10000), RESTART,
                                 .fallback = "256", .help = "http actions at a time"},
    [CONFIG_HTTP_PER_HOST] = {"http_per_host", INT(http_per_host, 1, 10000), RESTART,
                              .fallback = "32", .help = "http actions at a time to one host"},
    [CONFIG_HTTP_ALLOW_PRIVATE] = {"http_allow_private", BOOL(http_allow_private), RESTART,
                                   .fallback = "false",
                                   .help = "http actions may call this machine and private\n"
                                           "networks"},
    [CONFIG_HTTP_CA] = {"http_ca", PATH(http_ca), RESTART, .fallback = "",
                        .help =
                            "certificates, PEM, by which calls of URLs and upstreams trust\n"
                            "others; empty: as the system does"},
    [CONFIG_EXEC] = {"exec", BOOL(exec), RESTART, .fallback = "false",
                     .help = "exec actions may run programs on this machine"},
    [CONFIG_EXEC_CONCURRENCY] = {"exec_concurrency", INT(exec_concurrency, 1, 1000), RESTART,
                                 .fallback = "16", .help = "exec actions at a time"},
    [CONFIG_EXEC_ALLOW] = {"exec_allow", TEXTS(exec_allow, 1, CONFIG_VALUE_MAX),
                           .check = check_program, RESTART, .fallback = "*",
                           .help = "programs that exec actions may run: a list of paths,\n"
                                   "of folders that end in /, or * for all"},
    [CONFIG_LEASE] = {"lease", LENGTH(lease, SPAN_S, SPAN_DAY), .fallback = "90s",
                      .help = "how long a worker holds a run without a sign of life"},
    [CONFIG_HEARTBEAT] = {"heartbeat", LENGTH(heartbeat, SPAN_S / 2, SPAN_DAY),
                          .fallback = "30s", .help = "how often a worker is to give one"},
    [CONFIG_GRACE] = {"grace", LENGTH(grace, 0, SPAN_DAY), .fallback = "30s",
                      .help = "added to a lease before its run is given to another"},
    [CONFIG_NODE_LEASE] = {"node_lease", LENGTH(node_lease, 2 * SPAN_S, SPAN_H), RESTART,
                           .fallback = "10s",
                           .help = "after so long in silence a node counts as dead"},
    [CONFIG_MAX_RUN_TIME] = {"max_run_time", LENGTH(max_run_time, 0, 366 * SPAN_DAY),
                             .fallback = "24h",
                             .help = "of a run whose schedule says nothing; 0s: no limit"},
    [CONFIG_TURN_MS] = {"turn_ms", INT(turn_ms, 1, 1000), .fallback = "25",
                        .help = "milliseconds that one transaction aims at"},
    [CONFIG_TURN_ROWS] = {"turn_rows", INT(turn_rows, TURN_ROWS_MIN, TURN_ROWS_MAX),
                          .fallback = "4096", .help = "most schedules of one transaction"},
    [CONFIG_DISPATCH_JITTER] = {"dispatch_jitter",
                                LENGTH(dispatch_jitter, 0, DISPATCH_JITTER_MAX), RESTART,
                                .fallback = "0s",
                                .help = "spread starts that are due together over so long,\n"
                                        "each schedule its own way; slots stay exact"},
    [CONFIG_BUFFER_LIMIT] = {"buffer_limit", INT(buffer_limit, 1, BUFFER_LIMIT_MAX),
                             .fallback = "1000",
                             .help = "waiting starts of a schedule that says nothing"},
    [CONFIG_BACKFILL_PORTION] = {"backfill_portion", INT(backfill_portion, 1, 1000), RESTART,
                                 .fallback = "100",
                                 .help = "slots of a schedule's backfills that one\n"
                                         "transaction starts"},
    [CONFIG_RETENTION] = {"retention", LENGTH(retention, 0, 36525 * SPAN_DAY),
                          .fallback = "90d",
                          .help = "how long history is kept where a schedule says\n"
                                  "nothing; 0s: for ever"},
    [CONFIG_FUTURE_TTL] = {"future_ttl", LENGTH(future_ttl, 0, 366 * SPAN_DAY),
                           .fallback = "2d",
                           .help = "how long cancelled slots of a plan are still shown"},
    [CONFIG_MAX_JUMP] = {"max_jump", LENGTH(max_jump, SPAN_S, 366 * SPAN_DAY), .fallback = "1h",
                         .help = "a clock that steps further ahead stops all starts"},
    [CONFIG_DRAIN] = {"drain", LENGTH(drain, 0, SPAN_DAY), .fallback = "30s",
                      .help = "time that runs get to end when the program is stopped"},
    [CONFIG_RATE_READ] = {"rate_read", INT(rate_read, 0, MILLION), .fallback = "0",
                          .help = "reading requests a minute of one client; 0: no limit"},
    [CONFIG_RATE_WRITE] = {"rate_write", INT(rate_write, 0, MILLION), .fallback = "0",
                           .help = "writing requests a minute of one client; 0: no limit"},
    [CONFIG_QUOTA_SCHEDULES] = {"quota_schedules", INT(quota_schedules, 0, 1000 * MILLION),
                                .fallback = "0",
                                .help = "schedules of one namespace; 0: no limit"},
    [CONFIG_CONDUCTOR_KEEP] = {"conductor_keep", INT(conductor_keep, 1, 1000), .fallback = "5",
                               .help = "runs that schedules saved by Conductor's API keep: of\n"
                                       "more than twice as many the older ones go"},
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
