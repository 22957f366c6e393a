/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reloads the configuration and the time zones for all threads.  Old versions stay in memory
 * until the server stops, because other threads may still use them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "io/clock.h"
#include "server/config/config_keys.h"
#include "server/serve_parts.h"

static void log_change(struct serve *s, const struct config *now,
                       const struct config_change *change)
{
    char text[CONFIG_SHOWN_MAX];
    struct buf value = BUF(text);

    config_show(now, change->id, &value);
    log_say(&s->log, clock_now(), change->needs_restart ? LEVEL_WARN : LEVEL_INFO,
            change->needs_restart ? "setting changed; restart to apply it" : "setting changed",
            LOG_TEXT("key", config_keys[change->id].name),
            LOG_STR("value", buf_as_str(&value)));
}

/* The previous configuration stays, because other threads may be reading it. */
static void use_config(struct serve *s, struct config *fresh)
{
    struct api_context *context = malloc(sizeof *context);

    must(context);
    config_keep_restart_keys(fresh, s->config);
    s->config = fresh;
    *context = serve_context(s);
    s->configs[s->config_count] = fresh;
    s->contexts[s->config_count++] = context;
    frontend_reload(s->frontend, fresh, context);
    for (int i = 0; i < READERS; i++)
        reader_reload_context(s->readers[i], context);
    must(mailbox_push(
        s->to_writer,
        &(struct writer_msg){.kind = WRITER_MSG_CONFIG, .config = fresh, .context = context}));
}

void serve_reload_config(struct serve *s)
{
    struct config_change changes[CONFIG_KEYS];
    struct config *fresh = NULL;
    struct err err;
    int count;

    if (s->config_count == CONFIGS_MAX)
        err_set(&err, RC_LIMIT, -1, 0,
                "reloaded %d times, which is the limit; restart the server", CONFIGS_MAX);
    else if (s->options->reload(s->options->arg, &fresh, &err) == RC_OK &&
             serve_check_config(s, fresh, &err) != RC_OK)
        fresh = config_free(fresh);
    if (!fresh) {
        log_say(&s->log, clock_now(), LEVEL_ERROR,
                "cannot reload the configuration; keeping the old one",
                LOG_TEXT("reason", err.text));
        return;
    }
    count = config_changes(s->config, fresh, changes);
    if (count == 0) {
        config_free(fresh);
        return;
    }
    log_set(&s->log, (enum log_level)fresh->log_level, (enum log_format)fresh->log);
    for (int i = 0; i < count; i++)
        log_change(s, fresh, &changes[i]);
    use_config(s, fresh);
}

/* The previous files stay open, because commands on their way to the writer may hold a zone. */
static void use_zones(struct serve *s, struct zoneinfo *zones)
{
    if (s->old_zone_count == ZONES_KEPT) {
        zoneinfo_close(zones);
        return;
    }
    snprintf(s->zones_version, sizeof s->zones_version, "%s", zoneinfo_version(zones));
    s->old_zones[s->old_zone_count++] = s->zones;
    s->zones = zones;
}

void serve_reload_zones(struct serve *s, bool is_forced)
{
    struct str dir = s->config->zoneinfo;
    struct err err;
    struct zoneinfo *zones = zoneinfo_open(dir.len > 0 ? dir.ptr : NULL, &err);
    bool has_changed;

    if (!zones) {
        log_say(&s->log, clock_now(), LEVEL_ERROR, "cannot read the time zone files",
                LOG_TEXT("reason", err.text));
        return;
    }
    has_changed = strcmp(zoneinfo_version(zones), s->zones_version) != 0;
    /* An empty version says nothing, so a forced reload then uses the new files. */
    if (has_changed || (is_forced && s->zones_version[0] == '\0'))
        use_zones(s, zones);
    else
        zoneinfo_close(zones);
    if (!has_changed && !is_forced)
        return;
    for (int i = 0; i < READERS; i++)
        reader_reload_zones(s->readers[i]);
    must(mailbox_push(s->to_writer, &(struct writer_msg){.kind = WRITER_MSG_ZONES}));
}
