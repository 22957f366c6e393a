/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TLS certificate of the listeners.  For the io thread.
 */
#include "io/clock.h"
#include "server/serve_parts.h"

static bool wants_tls(const struct serve *s)
{
    return s->config->tls_cert.len > 0;
}

static enum rc read_files(struct serve *s, struct err *reterr)
{
    struct tls_files files = {
        .cert = s->config->tls_cert.ptr, .key = s->config->tls_key.ptr, .offers_h2 = true};

    return listener_tls(s->listener, &files, reterr);
}

enum rc serve_open_tls(struct serve *s, struct err *reterr)
{
    s->has_tls = wants_tls(s);
    return s->has_tls ? read_files(s, reterr) : RC_OK;
}

/* Reloads the files even if their names are unchanged: a renewed certificate keeps its name. */
void serve_reload_tls(struct serve *s)
{
    struct err err;

    if (s->has_tls != wants_tls(s)) {
        log_say(&s->log, clock_now(), LEVEL_WARN, "restart the server to switch TLS on or off",
                LOG_TEXT("now", s->has_tls ? "on" : "off"));
        return;
    }
    if (!s->has_tls)
        return;
    if (read_files(s, &err) == RC_OK)
        log_say(&s->log, clock_now(), LEVEL_INFO, "TLS certificate reloaded",
                LOG_STR("file", s->config->tls_cert));
    else
        log_say(&s->log, clock_now(), LEVEL_ERROR,
                "cannot reload the TLS certificate; keeping the old one",
                LOG_TEXT("reason", err.text));
}
