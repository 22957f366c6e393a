/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the values of a configuration that depend on the machine: a time zone and a file of CA
 * certificates.
 */
#include "io/net/tls.h"
#include "server/config/config_keys.h"
#include "server/serve_parts.h"

enum { FILE_SHOWN = 100 }; /* bytes of the file name in messages; shows its end */

/* Adds the line of the file if the value comes from one. */
static enum rc report_value(const struct config *config, enum config_id id,
                            const struct err *inner, struct err *reterr)
{
    const struct config_source *source = &config->source[id];
    struct str file = config->file;

    if (source->from != CONFIG_FROM_FILE)
        return err_set(reterr, RC_INVALID, -1, 0, "%s: %s", config_keys[id].name, inner->text);
    if (file.len > FILE_SHOWN)
        file = str_from(file, file.len - FILE_SHOWN);
    return err_set(reterr, RC_INVALID, -1, 0, "%.*s:%d: %s: %s", STR_ARG(file), source->line,
                   config_keys[id].name, inner->text);
}

/* Uses the time zone files that are loaded; other files need a restart. */
enum rc serve_check_config(struct serve *s, const struct config *config, struct err *reterr)
{
    struct err err;

    if (!zoneinfo_find(s->zones, config->default_timezone, &err))
        return report_value(config, CONFIG_DEFAULT_TIMEZONE, &err, reterr);
    if (config->http_ca.len > 0 && tls_check_authorities(config->http_ca.ptr, &err) != RC_OK)
        return report_value(config, CONFIG_HTTP_CA, &err, reterr);
    return RC_OK;
}
