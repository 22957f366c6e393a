/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts and stops the server.
 *
 * Start: log, loop, listener (before the database, to report a port that is in use early),
 * dispatcher, forwarder, readers, writer.  Stop: accept no requests and claim no runs; let runs
 * finish; release those that do not finish in time; then stop the writer, the readers, the
 * writer's connection and the rest.
 */
#include "server/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "io/clock.h"
#include "io/host_name.h"
#include "io/sd_notify.h"
#include "io/thread.h"
#include "server/config/config_keys.h"
#include "server/config/config_old.h"
#include "server/serve_parts.h"
#include "wire/json/json.h"

static void fail(struct serve *s, const struct err *err)
{
    log_say(&s->log, clock_now(), LEVEL_ERROR, "cannot start", LOG_TEXT("reason", err->text));
    s->status = STATUS_FAILED;
}

/* ---- stopping ---- */

static void stop_writer(struct serve *s)
{
    if (s->stage == STOPPING)
        return;
    s->stage = STOPPING;
    must(mailbox_push(s->to_writer, &(struct writer_msg){.kind = WRITER_MSG_STOP}));
}

static void on_dispatcher_closed(void *arg)
{
    struct serve *s = arg;

    s->dispatcher = NULL;
    frontend_dispatcher_closed(s->frontend);
    if (s->writer)
        stop_writer(s);
    else
        loop_wake(s->loop);
}

/* on_wake() continues, because the listener must not be freed inside its callback. */
static void on_listener_closed(void *arg)
{
    struct serve *s = arg;

    s->listener_closed = true;
    loop_wake(s->loop);
}

static void on_report(void *arg, struct dispatch_report *reported)
{
    struct serve *s = arg;

    frontend_on_report(s->frontend, reported);
    if (s->stage == DRAINING)
        loop_wake(s->loop);
}

static const struct dispatch_settings *find_settings(void *arg, int64_t namespace)
{
    struct serve *s = arg;

    return frontend_settings(s->frontend, namespace);
}

static void close_dispatcher(struct serve *s)
{
    if (!s->dispatcher || s->dispatcher_closing)
        return;
    s->dispatcher_closing = true;
    dispatcher_close(s->dispatcher, on_dispatcher_closed, s);
}

/* Only after the writer has claimed its last run: the server could not release a later one. */
static void close_dispatcher_when_drained(struct serve *s)
{
    if (s->stage == RELEASING && frontend_is_drained(s->frontend))
        close_dispatcher(s);
}

static void release_runs(struct serve *s)
{
    if (s->stage != DRAINING)
        return;
    s->stage = RELEASING;
    loop_timer_stop(s->deadline);
    if (!s->listener_closed)
        listener_close(s->listener, 0, on_listener_closed, s);
    close_dispatcher_when_drained(s);
}

static int dispatches_in_progress(const struct serve *s)
{
    int count = s->dispatcher ? dispatcher_followed(s->dispatcher) : 0;

    for (int lane = 0; s->dispatcher && lane < LANE_COUNT; lane++)
        count += dispatcher_count(s->dispatcher, (enum lane)lane);
    return count;
}

/* Ends the drain when nothing is in progress any more. */
static void check_drain(struct serve *s)
{
    if (s->stage == DRAINING && s->listener_closed && frontend_is_drained(s->frontend) &&
        dispatches_in_progress(s) == 0)
        release_runs(s);
    close_dispatcher_when_drained(s);
}

static void cut_drain(struct serve *s, const char *msg)
{
    log_say(&s->log, clock_now(), LEVEL_WARN, msg, LOG_INT("runs", dispatches_in_progress(s)));
    release_runs(s);
}

static void on_deadline(void *arg)
{
    cut_drain(arg, "drain timed out; releasing runs");
}

static void drain(struct serve *s)
{
    s->stage = DRAINING;
    sd_notify_say("STOPPING=1");
    log_say(&s->log, clock_now(), LEVEL_INFO, "draining",
            LOG_INT("runs", dispatches_in_progress(s)));
    frontend_reject_requests(s->frontend, "the server is stopping");
    must(mailbox_push(s->to_writer, &(struct writer_msg){.kind = WRITER_MSG_DRAIN}));
    dispatcher_drain(s->dispatcher);
    listener_close(s->listener, s->config->drain, on_listener_closed, s);
    loop_timer_set(s->deadline, s->config->drain);
    check_drain(s);
}

static void on_stop_signal(void *arg, int signal)
{
    struct serve *s = arg;

    (void)signal;
    if (s->stage == SERVING)
        drain(s);
    else if (s->stage == DRAINING)
        cut_drain(s, "second stop signal; releasing runs");
}

/* ---- running ---- */

static void on_reload(void *arg, int signal)
{
    (void)signal;
    serve_reload_config(arg);
    serve_reload_tls(arg);
    serve_reload_zones(arg, true);
}

/* System packages replace the files while the process runs. */
static void check_zones(struct serve *s)
{
    if (++s->pulses % ZONES_EVERY == 0)
        serve_reload_zones(s, false);
}

static void ping_watchdog(struct serve *s)
{
    span period = sd_notify_watchdog();

    if (!s->writer || period == 0)
        return; /* without a writer, the rest of the stop is quick */
    if (clock_boot_us() - writer_state(s->writer).beat_us < period)
        sd_notify_say("WATCHDOG=1");
}

static void on_pulse(void *arg)
{
    struct serve *s = arg;

    log_out_pump(s->log_out);
    log_report_lost(&s->log, clock_now());
    check_zones(s);
    ping_watchdog(s);
    loop_timer_set(s->pulse, PULSE);
}

static void on_wake(void *arg)
{
    struct serve *s = arg;

    if (s->stage == CLOSING) {
        if (!s->dispatcher && !s->forwarder && (!s->listener || s->listener_closed))
            loop_stop(s->loop);
        return;
    }
    if (frontend_receive(s->frontend)) {
        s->status = writer_state(s->writer).status;
        loop_stop(s->loop);
        return;
    }
    if (!s->is_ready && !frontend_unready_reason(s->frontend)) {
        s->is_ready = true;
        catalogue_thread_start(s->catalogue);
        balance_thread_start(s->balance);
        serve_announce_ready(s);
    }
    check_drain(s);
}

/* ---- starting ---- */

/*
 * Each connection and each dispatch needs a descriptor.  The usual soft limit only protects
 * programs that use select().
 */
static void raise_descriptor_limit(struct serve *s)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS)
        log_say(&s->log, clock_now(), LEVEL_WARN, "limit of open files is low",
                LOG_INT("limit", (int64_t)limit.rlim_cur), LOG_INT("wanted", DESCRIPTORS));
}

/* Logs the effect of each setting of another system. */
static void log_old_names(struct serve *s)
{
    for (const struct config_old_use *use = s->config->olds; use; use = use->next)
        log_say(&s->log, clock_now(), use->old->id == OLD_NO_EFFECT ? LEVEL_WARN : LEVEL_INFO,
                use->old->id == OLD_NO_EFFECT ? "old setting has no effect"
                                              : "old setting is used under its new name",
                LOG_TEXT("name", use->old->name), LOG_STR("value", use->value),
                use->old->id == OLD_NO_EFFECT
                    ? LOG_TEXT("reason", use->old->why)
                    : LOG_TEXT("key", config_keys[use->old->id].name));
}

static enum rc make_state_dir(struct serve *s, struct err *reterr)
{
    static const struct str scheme = {"sqlite:", 7};
    struct str dir = s->config->state_dir, db = s->config->db;
    char path[CONFIG_VALUE_MAX + 1];

    if (!str_starts(db, scheme) || !str_starts(str_from(db, scheme.len), dir))
        return RC_OK; /* the database is elsewhere */
    snprintf(path, sizeof path, "%s", dir.ptr);
    for (char *p = path + 1;; p++) {
        char c = *p;

        if (c != '/' && c != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST)
            return err_set(reterr, RC_INVALID, -1, 0,
                           "cannot create directory \"%s\": %s; choose another one with "
                           "--state-dir",
                           path, strerror(errno));
        *p = c;
        if (c == '\0')
            return RC_OK;
    }
}

static enum rc bind_all(struct serve *s, const struct config_addresses *list, const char *what,
                        struct err *reterr)
{
    const struct config_address *exposed = config_address_exposed(list);

    if (exposed && !s->has_tls && !s->config->insecure)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "%s: %s is open to other machines without TLS; set tls_cert and "
                       "tls_key, listen on loopback only, or use --insecure",
                       what, exposed->host);
    for (int i = 0; i < list->count; i++) {
        const struct config_address *address = &list->list[i];
        uint16_t port;
        enum rc rc = (s->has_tls ? listener_bind_tls : listener_bind)(
            s->listener, address->host, address->port, &port, reterr);

        /* A machine without IPv6 has no ::1; the other loopback address is enough. */
        if (rc == RC_NOT_FOUND && address->is_loopback && address->is_v6 && list->count > 1)
            continue;
        if (rc != RC_OK)
            return rc;
        serve_deny_self(s, address, port);
        if (s->port == 0) {
            s->port = port;
            snprintf(s->address, sizeof s->address,
                     address->is_v6 ? "%s://[%s]:%u" : "%s://%s:%u",
                     s->has_tls ? "https" : "http", address->host, port);
        }
        log_say(&s->log, clock_now(), LEVEL_INFO, "listening", LOG_TEXT("for", what),
                LOG_TEXT("address", address->host), LOG_INT("port", port),
                LOG_TEXT("scheme", s->has_tls ? "https" : "http"));
    }
    return RC_OK;
}

static enum rc open_frontend(struct serve *s, struct err *reterr)
{
    struct listener_limits limits = listener_limits_default;
    struct listener_handler handler;
    enum rc rc;

    s->frontend = frontend_new(&(struct frontend_options){
        .loop = s->loop,
        .log = &s->log,
        .config = s->config,
        .seam = s->options->seam,
        .to_writer = s->to_writer,
        .to_io = s->to_io,
        .context = serve_context(s),
        .finished = s->finished,
        .signal = &s->signal,
        .has_others = !str_starts(s->config->db, STR("sqlite:")),
        .counters = &s->counters,
        .seeds = s->seeds,
    });
    handler = frontend_handler(s->frontend);
    s->listener = listener_new(loop_uv(s->loop), &limits, &handler);
    rc = serve_open_tls(s, reterr);
    if (rc == RC_OK)
        rc = bind_all(s, &s->config->listen, "http", reterr);
    return rc == RC_OK ? bind_all(s, &s->config->grpc, "grpc", reterr) : rc;
}

static enum rc open_dispatcher(struct serve *s, struct err *reterr)
{
    const struct config *config = s->config;

    return dispatcher_open(
        &(struct dispatcher_options){
            .loop = s->loop,
            .log = &s->log,
            .http = config->http_concurrency,
            .http_per_host = config->http_per_host,
            .exec = config->exec ? config->exec_concurrency : 0,
            .allow_private = config->http_allow_private,
            .allow_loopback = config->http_allow_private,
            .ca_file = config->http_ca.len > 0 ? config->http_ca.ptr : NULL,
            .exec_allow = config->exec_allow.list,
            .exec_allow_count = config->exec_allow.count,
            .self_nets = s->self_nets,
            .self_net_count = s->self_net_count,
            .settings = find_settings,
            .on_report = on_report,
            .arg = s,
        },
        &s->dispatcher, reterr);
}

static void on_forwarded(void *arg, const struct operation *operation, int status)
{
    struct serve *s = arg;

    counters_forwarded(&s->counters, operation, status);
}

static void open_forwarder(struct serve *s)
{
    const struct config *config = s->config;

    s->forwarder = forwarder_open(&(struct forwarder_options){
        .loop = s->loop,
        .ca_file = config->http_ca.len > 0 ? config->http_ca.ptr : NULL,
        .allow_private = config->http_allow_private,
        .allow_loopback = config->http_allow_private,
        .self_nets = s->self_nets,
        .self_net_count = s->self_net_count,
        .settings = find_settings,
        .on_answered = on_forwarded,
        .arg = s,
    });
    frontend_set_forwarder(s->frontend, s->forwarder);
}

/*
 * The name is the same after a restart, unless the port is 0.  Two nodes with the same database
 * must not have the same host name and port.
 */
static void name_node(struct serve *s)
{
    char host[HOST_NAME_SIZE];

    host_name_read(host);
    snprintf(s->node, sizeof s->node, "%s:%u", host[0] != '\0' ? host : "node", s->port);
}

static void log_host(void *arg, const char *host, const char *why)
{
    struct serve *s = arg;

    log_say(&s->log, clock_now(), LEVEL_WARN, "database host cannot be used",
            LOG_TEXT("host", host), LOG_TEXT("reason", why));
}

static enum rc start_threads(struct serve *s, struct err *reterr)
{
    struct api_context context;

    s->hosts.failed = log_host;
    s->hosts.arg = s;
    context = serve_context(s);
    s->catalogue = catalogue_thread_new(s->config, &s->log, &s->hosts,
                                        context.random(context.arg));
    s->balance = balance_thread_new(s->config, &s->log, &s->hosts);
    s->preflight = preflight_new(&(struct preflight_options){
        .config = s->config,
        .self_nets = s->self_nets,
        .self_net_count = s->self_net_count,
        .namespaces = frontend_namespaces(s->frontend),
    });
    for (int i = 0; i < READERS; i++) {
        s->readers[i] = reader_start(&(struct reader_options){
            .config = s->config,
            .log = &s->log,
            .to_io = s->to_io,
            .is_slow = i == READERS - 1,
            .context = context,
            .hosts = &s->hosts,
        });
        if (!s->readers[i])
            return err_set(reterr, RC_INVALID, -1, 0,
                           "cannot read the time zone files; set zoneinfo");
    }
    s->writer = writer_start(&(struct writer_options){
        .config = s->config,
        .log = &s->log,
        .to_writer = s->to_writer,
        .to_io = s->to_io,
        .seam = s->options->seam,
        .node = str_of(s->node),
        .finished = s->finished,
        .is_halted = &s->is_halted,
        .signal = &s->signal,
        .address = str_of(s->address),
        .counters = &s->counters,
        .context = context,
        .hosts = &s->hosts,
    });
    s->notify = postgres_notify_start(s->config, &s->log, s->to_writer, str_of(s->node),
                                      &s->hosts);
    frontend_connect(s->frontend, s->writer, s->readers, READERS - 1, s->readers[READERS - 1],
                     s->dispatcher);
    return RC_OK;
}

/* libuv's signal handler may run in any thread.  It only wakes the loop, which calls these. */
static void install_signals(struct serve *s)
{
    loop_on_signal(s->loop, SIGTERM, on_stop_signal, s);
    loop_on_signal(s->loop, SIGINT, on_stop_signal, s);
    loop_on_signal(s->loop, SIGHUP, on_reload, s);
}

static enum rc start(struct serve *s, struct err *reterr)
{
    const char *zoneinfo = s->config->zoneinfo.len > 0 ? s->config->zoneinfo.ptr : NULL;
    enum rc rc = make_state_dir(s, reterr);

    if (rc != RC_OK)
        return rc;
    if (s->config->seed_dir.len > 0) {
        s->seeds = seeds_read(s->config->seed_dir.ptr);
        if (!s->seeds)
            return err_set(reterr, RC_INVALID, -1, 0, "seed_dir: cannot read \"%.*s\"",
                           STR_ARG(s->config->seed_dir));
    }
    log_old_names(s);
    raise_descriptor_limit(s);
    s->zones = zoneinfo_open(zoneinfo, reterr);
    if (!s->zones || serve_check_config(s, s->config, reterr) != RC_OK)
        return RC_INVALID;
    snprintf(s->zones_version, sizeof s->zones_version, "%s", zoneinfo_version(s->zones));
    s->to_writer = mailbox_new(WRITER_MSGS_MAX, sizeof(struct writer_msg), NULL, NULL);
    s->to_io = mailbox_new(IO_MSGS_MAX, sizeof(struct io_msg), loop_wake, s->loop);
    rc = open_frontend(s, reterr);
    if (rc == RC_OK)
        rc = open_dispatcher(s, reterr);
    if (rc != RC_OK)
        return rc;
    open_forwarder(s);
    name_node(s);
    install_signals(s);
    rc = start_threads(s, reterr);
    s->pulse = loop_timer_new(s->loop, on_pulse, s);
    s->deadline = loop_timer_new(s->loop, on_deadline, s);
    loop_timer_set(s->pulse, PULSE);
    return rc;
}

static void on_forwarder_closed(void *arg)
{
    struct serve *s = arg;

    s->forwarder = NULL;
    loop_wake(s->loop);
}

/* Closes what is still open if the writer ended by itself or never started. */
static void close_rest(struct serve *s)
{
    close_dispatcher(s);
    if (s->forwarder)
        forwarder_close(s->forwarder, on_forwarder_closed, s);
    if (s->listener && !s->listener_closed)
        listener_close(s->listener, 0, on_listener_closed, s);
    s->stage = CLOSING;
    loop_wake(s->loop);
    loop_run(s->loop);
}

/* Each thread returns its tickets before it ends, so that frontend_abandon() can end them. */
static void finish(struct serve *s)
{
    s->notify = postgres_notify_stop(s->notify);
    for (int i = 0; i < READERS; i++)
        s->readers[i] = reader_stop(s->readers[i]);
    catalogue_thread_stop(s->catalogue);
    balance_thread_stop(s->balance);
    /* The last connection to SQLite removes the WAL, and only the writer's may do that. */
    if (s->writer)
        s->writer = writer_join(s->writer);
    s->catalogue = catalogue_thread_free(s->catalogue);
    s->balance = balance_thread_free(s->balance);
    if (s->frontend)
        frontend_abandon(s->frontend);
    close_rest(s);
    loop_timer_free(s->pulse);
    loop_timer_free(s->deadline);
    s->preflight = preflight_free(s->preflight);
    frontend_free(s->frontend);
    seeds_free(s->seeds);
    listener_free(s->listener);
    mailbox_free(s->to_writer);
    mailbox_free(s->to_io);
    zoneinfo_close(s->zones);
    for (int i = 0; i < s->old_zone_count; i++)
        zoneinfo_close(s->old_zones[i]);
    loop_free(s->loop);
    log_say(&s->log, clock_now(), LEVEL_INFO, "stopped", LOG_INT("status", s->status));
    log_out_close(s->log_out);
    for (int i = 0; i < s->config_count; i++) {
        config_free(s->configs[i]);
        free(s->contexts[i]);
    }
    arena_free(s->texts);
}

int serve_run(const struct serve_options *options)
{
    struct serve *s = calloc(1, sizeof *s);
    struct err err;
    int status;

    must(s);
    s->options = options;
    s->config = options->config;
    s->started_at = clock_now();
    if (log_out_open(STDERR_FILENO, &s->log_out, &err) != RC_OK) {
        fprintf(stderr, "belfry: %s\n", err.text);
        free(s);
        return STATUS_FAILED;
    }
    log_open(&s->log, log_out_sink(s->log_out), (enum log_level)s->config->log_level,
             (enum log_format)s->config->log);
    thread_wake_promptly();
    json_use_thread_cache();
    s->loop = loop_new(on_wake, s);
    if (start(s, &err) == RC_OK)
        loop_run(s->loop);
    else
        fail(s, &err);
    finish(s);
    status = s->status;
    free(s);
    return status;
}
