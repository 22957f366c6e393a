/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of /metrics that needs no database.  For the io thread.
 */
#include "api/call/prometheus.h"
#include "io/clock.h"
#include "io/process/process_usage.h"
#include "server/build_commit.h"
#include "server/counters.h"
#include "server/serve_parts.h"

static void print_build(const struct serve *s, struct answer *out)
{
    prometheus_family(out, "belfry_build_info", "gauge",
                      "Version and commit of the program; always 1.");
    prometheus_int(out, "belfry_build_info",
                   "version=\"" BELFRY_VERSION "\",commit=\"" BELFRY_COMMIT "\"", 1);
    prometheus_one(out, "belfry_ready", "gauge", "Whether the server is ready: 1 or 0.",
                   frontend_unready_reason(s->frontend) == NULL);
}

static void print_connections(const struct serve *s, struct answer *out)
{
    struct listener_counts counts = listener_counts(s->listener);

    prometheus_one(out, "belfry_connections", "gauge", "Open connections.", counts.open);
    prometheus_one(out, "belfry_connections_total", "counter",
                   "Connections that were accepted.", counts.accepted);
    prometheus_one(out, "belfry_connections_refused_total", "counter",
                   "Connections that were rejected because of a limit.", counts.turned_away);
    prometheus_one(out, "belfry_connections_timed_out_total", "counter",
                   "Connections that were closed because they were slow or idle.",
                   counts.timed_out);
    prometheus_one(out, "belfry_bad_requests_total", "counter",
                   "Requests that could not be parsed.", counts.refused);
    prometheus_one(out, "belfry_tls_handshakes_failed_total", "counter",
                   "TLS handshakes that failed.", counts.failed_handshakes);
    prometheus_one(out, "belfry_requests_under_way", "gauge",
                   "Requests in progress, including waiting workers.",
                   frontend_count(s->frontend));
}

static void print_calls(const struct serve *s, struct answer *out)
{
    static const struct {
        enum lane lane;
        const char *labels;
    } lanes[] = {{LANE_HTTP, "type=\"http\""},
                 {LANE_EXEC, "type=\"exec\""},
                 {LANE_FLOW, "type=\"workflow\""}};

    prometheus_family(out, "belfry_calls_under_way", "gauge",
                      "Runs that this node carries out itself, by type.");
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        prometheus_int(out, "belfry_calls_under_way", lanes[i].labels,
                       s->dispatcher ? dispatcher_count(s->dispatcher, lanes[i].lane) : 0);
    prometheus_one(out, "belfry_workflows_followed", "gauge",
                   "Workflows of upstreams that this node follows.",
                   s->dispatcher ? dispatcher_followed(s->dispatcher) : 0);
}

static void print_catalogue(const struct serve *s, struct answer *out)
{
    struct catalogue_state state;

    if (!s->catalogue)
        return;
    state = catalogue_thread_state(s->catalogue);
    prometheus_one(out, "belfry_catalogue_loaded", "gauge",
                   "Whether the catalogue has all schedules: 1 or 0.", state.is_loaded);
    prometheus_one(out, "belfry_catalogue_schedules", "gauge",
                   "Schedules in the catalogue of this node.", state.entries);
    prometheus_one(out, "belfry_catalogue_bytes", "gauge", "Memory of the catalogue.",
                   state.bytes);
    prometheus_family(out, "belfry_catalogue_load_seconds", "gauge",
                      "How long the last loading of the catalogue took.");
    prometheus_seconds(out, "belfry_catalogue_load_seconds", "", state.loading);
    if (!state.is_loaded)
        return;
    prometheus_family(out, "belfry_catalogue_age_seconds", "gauge",
                      "Time since the state of the database that the catalogue shows.");
    prometheus_seconds(out, "belfry_catalogue_age_seconds", "", clock_now() - state.as_of);
}

static void print_notifications(const struct serve *s, struct answer *out)
{
    if (s->notify)
        prometheus_one(out, "belfry_listen_connected", "gauge",
                       "Whether notifications of other nodes arrive: 1 or 0.",
                       postgres_notify_is_connected(s->notify));
}

static void print_balance(const struct serve *s, struct answer *out)
{
    struct ledger_balance total = balance_thread_total(s->balance);

    if (total.as_of == INSTANT_NONE)
        return;
    prometheus_one(out, "belfry_ledger_balance_schedules", "gauge",
                   "Schedules whose slots were last compared with their recorded outcomes.",
                   total.schedules);
    prometheus_one(out, "belfry_ledger_balance_slots", "gauge",
                   "Slots that were due in the last comparison.", total.slots);
    prometheus_one(out, "belfry_ledger_balance_differences", "gauge",
                   "Schedules where due slots and recorded outcomes differ.",
                   total.differences);
    prometheus_family(out, "belfry_ledger_balance_age_seconds", "gauge",
                      "Time since the last comparison ended.");
    prometheus_seconds(out, "belfry_ledger_balance_age_seconds", "", clock_now() - total.as_of);
}

static void print_process(const struct serve *s, struct answer *out)
{
    struct process_usage p = process_usage();

    prometheus_family(out, "process_cpu_seconds_total", "counter", "User and system CPU time.");
    prometheus_seconds(out, "process_cpu_seconds_total", "", p.cpu);
    prometheus_one(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
                   p.resident);
    prometheus_one(out, "process_virtual_memory_bytes", "gauge", "Virtual memory.",
                   p.virtual_bytes);
    prometheus_one(out, "process_open_fds", "gauge", "Open file descriptors.", p.files);
    prometheus_one(out, "process_max_fds", "gauge", "Limit of open file descriptors.",
                   p.files_max);
    prometheus_one(out, "process_threads", "gauge", "Threads.", p.threads);
    prometheus_family(out, "process_start_time_seconds", "gauge",
                      "Start time of the process, in seconds since 1970.");
    prometheus_seconds(out, "process_start_time_seconds", "", s->started_at);
}

bool serve_print_metrics(void *arg, struct answer *out,
                         struct context_latest latest[static CONTEXT_LATEST_MAX])
{
    struct serve *s = arg;

    print_build(s, out);
    counters_print(&s->counters, out);
    print_connections(s, out);
    print_calls(s, out);
    print_catalogue(s, out);
    print_notifications(s, out);
    print_balance(s, out);
    print_process(s, out);
    counters_latest(&s->counters, clock_now(), latest);
    return frontend_has_database(s->frontend);
}
