/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions and values of the server that operations may use (struct api_context).
 */
#include <sys/random.h>

#include "base/must.h"
#include "io/clock.h"
#include "io/net/tls.h"
#include "server/build_commit.h"
#include "server/serve_parts.h"

enum { RANDOM_AT_ONCE = 32 }; /* getrandom() always fills up to 256 bytes */

static bool has_upstream(void *arg, struct str namespace, struct str upstream)
{
    struct serve *s = arg;

    return frontend_has_upstream(s->frontend, namespace, upstream);
}

static void search_attributes(void *arg, struct str namespace, struct arena *arena,
                              struct context_attributes *ret)
{
    struct serve *s = arg;

    frontend_search_attributes(s->frontend, namespace, arena, ret);
}

static int64_t quota_schedules(void *arg, struct str namespace)
{
    struct serve *s = arg;

    return frontend_quota(s->frontend, namespace);
}

/*
 * Every request needs a number.  To save system calls, each thread reads several at once; it
 * uses each number only once.
 */
static uint64_t random_number(void *arg)
{
    static _Thread_local uint64_t numbers[RANDOM_AT_ONCE];
    static _Thread_local int left;
    uint64_t number;

    (void)arg;
    if (left == 0) {
        must(getrandom(numbers, sizeof numbers, 0) == (ssize_t)sizeof numbers);
        left = RANDOM_AT_ONCE;
    }
    number = numbers[--left];
    numbers[left] = 0;
    return number;
}

static const char *not_ready(void *arg)
{
    struct serve *s = arg;

    return frontend_unready_reason(s->frontend);
}

static int reasons(void *arg, struct context_reason list[static CONTEXT_REASONS_MAX])
{
    struct serve *s = arg;
    int n = frontend_reasons(s->frontend, list);

    if (s->notify && frontend_has_database(s->frontend) &&
        !postgres_notify_is_connected(s->notify))
        list[n++] = (struct context_reason){
            .code = "listen_lost",
            .text = "notifications of other nodes do not arrive;"
                    " workers may get runs a second late",
            .is_ready = true};
    must(n <= CONTEXT_REASONS_MAX);
    return n;
}

static bool query_catalogue(void *arg, const struct catalogue_query *query,
                            struct budget *budget, struct arena *arena,
                            struct catalogue_page *ret)
{
    struct serve *s = arg;

    return catalogue_thread_query(s->catalogue, query, budget, arena, ret);
}

static bool visit_catalogue(void *arg, struct catalogue_visit *visit, struct budget *budget)
{
    struct serve *s = arg;

    return catalogue_thread_visit(s->catalogue, visit, budget);
}

static void note_change(void *arg, int64_t schedule)
{
    struct serve *s = arg;

    catalogue_thread_note(s->catalogue, schedule);
}

static void ledger_balance(void *arg, int64_t namespace, struct arena *arena,
                           struct ledger_balance *ret)
{
    struct serve *s = arg;

    balance_thread_get(s->balance, namespace, arena, ret);
}

static const struct tz_now *list_zones(void *user, instant now, struct arena *arena,
                                       int *ret_count, const char **ret_version)
{
    struct zoneinfo **zones = user;

    *ret_version = zoneinfo_version(*zones);
    return zoneinfo_now(*zones, now, arena, ret_count);
}

static void halt(void *arg, bool is_halted)
{
    struct serve *s = arg;

    atomic_store(&s->is_halted, is_halted);
    log_say(&s->log, clock_now(), LEVEL_WARN,
            is_halted ? "node halted; it starts no runs" : "node resumed");
}

static int action_warnings(void *arg, const struct context_action *action, struct arena *arena,
                           struct str ret[static CONTEXT_WARNINGS_MAX])
{
    struct serve *s = arg;

    return preflight_warnings(s->preflight, action, arena, ret);
}

static void warn(void *arg, struct str namespace, struct str schedule, struct str text)
{
    struct serve *s = arg;

    log_say(&s->log, clock_now(), LEVEL_WARN, "schedule has a warning",
            LOG_STR("namespace", namespace), LOG_STR("schedule", schedule),
            LOG_STR("reason", text));
}

static enum rc check_settings(void *arg, struct str json, struct arena *arena,
                              struct err *reterr)
{
    struct dispatch_settings unused;

    (void)arg;
    return dispatch_settings_read(json, arena, &unused, reterr);
}

static struct policies policies_of(const struct config *config)
{
    struct policies policies = policies_default();

    policies.lease = config->lease;
    policies.heartbeat = config->heartbeat;
    policies.grace = config->grace;
    policies.max_run_time = config->max_run_time;
    policies.buffer_limit = config->buffer_limit;
    policies.retention_age = config->retention;
    return policies;
}

struct api_context serve_context(struct serve *s)
{
    if (!s->texts) {
        s->texts = arena_new(TEXTS_MAX);
        s->openapi = openapi_make(BELFRY_VERSION, s->texts);
    }
    return (struct api_context){
        .zones = {.find = zoneinfo_find_in, .user = &s->zones},
        .default_timezone = s->config->default_timezone,
        .policies = policies_of(s->config),
        .min_interval = s->config->min_interval,
        .dispatch_jitter = s->config->dispatch_jitter,
        .future_ttl = s->config->future_ttl,
        .conductor_keep = s->config->conductor_keep,
        .has_no_exec = !s->config->exec,
        .has_no_page = !s->config->page,
        .plan_warn_per_day = s->config->plan_warn_per_day,
        .has_upstream = has_upstream,
        .search_attributes = search_attributes,
        .quota_schedules = quota_schedules,
        .random = random_number,
        .check_settings = check_settings,
        .not_ready = not_ready,
        .reasons = reasons,
        .warn = warn,
        .action_warnings = action_warnings,
        .catalogue = s->config->catalogue ? query_catalogue : NULL,
        .visit_catalogue = s->config->catalogue ? visit_catalogue : NULL,
        .note_change = note_change,
        .ledger_balance = ledger_balance,
        .list_zones = list_zones,
        .halt = halt,
        .print_metrics = serve_print_metrics,
        .version = BELFRY_VERSION,
        .node = s->node,
        .openapi = &s->openapi,
        .parts = {.commit = BELFRY_COMMIT,
                  .sqlite = db_library(DB_SQLITE),
                  .libpq = db_library(DB_POSTGRES),
                  .openssl = tls_library(),
                  .started_at = s->started_at},
        .arg = s,
    };
}
