/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a configuration names and only the machine can know: a time zone, a file to trust by.
 */
#include "daemon/serve_parts.h"
#include "io/tls.h"

/* The files of time zones are those that are in use: others need a new start. */
enum rc serve_check_named(struct serve *s, const struct config *config, struct err *reterr)
{
    struct err err;

    if (!zoneinfo_find(s->zones, config->default_timezone, &err))
        return err_set(reterr, RC_INVALID, -1, 0, "default_timezone: %s", err.text);
    if (config->http_ca.len > 0 && tls_check_authorities(config->http_ca.ptr, &err) != RC_OK)
        return err_set(reterr, RC_INVALID, -1, 0, "http_ca: %s", err.text);
    return RC_OK;
}
