/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Announces that the server is ready: to systemd, in the log, and to a user if standard error
 * is a terminal.
 */
#include <string.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/sd_notify.h"
#include "server/serve_parts.h"

/* Prints the URL for a client on this machine. */
static void print_url(const struct serve *s, struct buf *out)
{
    const struct config_address *first = &s->config->listen.list[0];
    const char *host = first->host;

    if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
        host = "localhost";
    buf_printf(out, strchr(host, ':') ? "%s://[%s]:%u" : "%s://%s:%u",
               s->has_tls ? "https" : "http", host, s->port);
}

/* Uses the output of the log, so that a stopped terminal cannot block the server. */
static void print_greeting(struct serve *s, struct str db)
{
    char text[LOG_LINE_MAX];
    struct buf out = BUF(text);
    struct log_sink sink = log_out_sink(s->log_out);

    buf_printf(&out, "\n  Belfry %s is ready on ", BELFRY_VERSION);
    print_url(s, &out);
    buf_printf(&out, "\n  Database: %.*s\n\n", STR_ARG(db));
    buf_text(&out, "  Try it in another terminal:  curl -s ");
    print_url(s, &out);
    buf_text(&out, "/api/v1/schedules\n"
                   "  Create a schedule:           belfry help schedule create\n"
                   "  Stop the server:             Ctrl-C\n\n");
    if (!out.cut) /* a full output drops the text */
        (void)sink.take(sink.arg, buf_as_str(&out));
}

void serve_announce_ready(struct serve *s)
{
    char shown[CONFIG_SHOWN_MAX];
    struct buf db = BUF(shown);

    config_show(s->config, CONFIG_DB, &db);
    sd_notify_say("READY=1");
    log_say(&s->log, clock_now(), LEVEL_INFO, "ready", LOG_TEXT("node", s->node),
            LOG_STR("db", buf_as_str(&db)), LOG_TEXT("version", BELFRY_VERSION));
    if (isatty(STDERR_FILENO) && s->config->listen.count > 0)
        print_greeting(s, buf_as_str(&db));
}
