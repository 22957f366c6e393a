/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said once the server may be used: to systemd, to the log, and to a person who sits
 * at the terminal that the log goes to.
 */
#include <string.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/sd_notify.h"
#include "server/serve_parts.h"

/* Where a client on this machine finds it. */
static void print_url(const struct serve *s, struct buf *out)
{
    const struct config_address *first = &s->config->listen.list[0];
    const char *host = first->host;

    if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
        host = "localhost";
    buf_printf(out, strchr(host, ':') ? "%s://[%s]:%u" : "%s://%s:%u",
               s->has_tls ? "https" : "http", host, s->port);
}

/* Through the log's own way out: a terminal that stands still must not hold the server. */
static void greet(struct serve *s, struct str db)
{
    char text[LOG_LINE_MAX];
    struct buf out = BUF(text);
    struct log_sink sink = log_out_sink(s->log_out);

    buf_printf(&out, "\n  Belfry %s is ready on ", BELFRY_VERSION);
    print_url(s, &out);
    buf_printf(&out, "\n  and keeps everything in %.*s\n\n", STR_ARG(db));
    buf_text(&out, "  Ask it, in another terminal:  curl -s ");
    print_url(s, &out);
    buf_text(&out, "/api/v1/schedules\n"
                   "  A first schedule:             belfry help schedule create\n"
                   "  Stop it:                      Ctrl-C\n\n");
    if (!out.cut) /* nor is there always room: the log goes before */
        (void)sink.take(sink.arg, buf_as_str(&out));
}

void serve_say_ready(struct serve *s)
{
    char shown[CONFIG_SHOWN_MAX];
    struct buf db = BUF(shown);

    config_show(s->config, CONFIG_DB, &db);
    sd_notify_say("READY=1");
    log_say(&s->log, clock_now(), LEVEL_INFO, "ready", LOG_TEXT("node", s->node),
            LOG_STR("db", buf_as_str(&db)), LOG_TEXT("version", BELFRY_VERSION));
    if (isatty(STDERR_FILENO) && s->config->listen.count > 0)
        greet(s, buf_as_str(&db));
}
