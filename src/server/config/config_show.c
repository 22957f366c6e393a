/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints values and their sources.
 */
#include <string.h>

#include "server/config/config.h"
#include "server/config/config_keys.h"
#include "server/config/config_value.h"

#define HIDDEN "***"

void config_format(const struct config *config, enum config_id id, struct buf *out)
{
    config_value_write(&config_keys[id], config, out);
}

/*
 * Hides the password, and all options, because one of them may be a password.  For an unusual
 * URL it may hide more than necessary, never less.
 */
static void show_url(struct str url, struct buf *out)
{
    const char *begin = memmem(url.ptr, url.len, "://", 3);
    const char *at = memrchr(url.ptr, '@', url.len), *colon = NULL, *options;
    struct str rest = url;

    if (!begin) { /* a file */
        buf_str(out, url);
        return;
    }
    begin += 3;
    if (at && at > begin)
        colon = memchr(begin, ':', (size_t)(at - begin));
    if (colon) {
        buf_add(out, url.ptr, (size_t)(colon - url.ptr) + 1);
        buf_text(out, HIDDEN);
        rest = str_from(url, (size_t)(at - url.ptr));
    }
    options = memchr(rest.ptr, '?', rest.len);
    buf_add(out, rest.ptr, options ? (size_t)(options - rest.ptr) + 1 : rest.len);
    if (options)
        buf_text(out, HIDDEN);
}

void config_show(const struct config *config, enum config_id id, struct buf *out)
{
    if (id == CONFIG_DB)
        show_url(config->db, out);
    else
        config_format(config, id, out);
}

void config_source_text(const struct config *config, enum config_id id, struct buf *out)
{
    const struct config_source *source = &config->source[id];

    switch (source->from) {
    case CONFIG_FROM_DEFAULT:
        buf_text(out, "default");
        break;
    case CONFIG_FROM_FILE:
        buf_printf(out, "%s:%d", config->file.ptr, source->line);
        break;
    case CONFIG_FROM_ENV:
        buf_text(out, "env");
        break;
    case CONFIG_FROM_FLAG:
        buf_text(out, "flag");
        break;
    }
}
