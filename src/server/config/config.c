/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a configuration from its sources, checks it as a whole, finds misspelled variables, and
 * compares two configurations.
 */
#include "server/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "io/file.h"
#include "server/config/config_file.h"
#include "server/config/config_keys.h"
#include "server/config/config_old.h"
#include "server/config/config_value.h"

#define ENV_PREFIX STR("BELFRY_")

enum {
    ARENA_MAX = 4 << 20, /* twice the size of every key from every source at its limit */
    ENV_NAME_BYTES = 40, /* more than the longest name and the terminating zero        */
    PATH_SHOWN = 100,    /* bytes of the file name in messages; shows its end          */
    VALUE_SHOWN = 60,    /* bytes of a value in messages                               */
};

static enum rc set_value(struct config *config, enum config_id id, struct str text,
                         struct config_source source, struct err *reterr)
{
    enum rc rc = config_value_read(&config_keys[id], text, config, reterr);

    if (rc == RC_OK)
        config->source[id] = source;
    return rc;
}

/* ---- defaults ---- */

static const char *find_env(const char *const *env, struct str name)
{
    for (int i = 0; env && env[i]; i++)
        if (str_starts(str_of(env[i]), name) && env[i][name.len] == '=' &&
            env[i][name.len + 1] != '\0')
            return env[i] + name.len + 1;
    return NULL;
}

/* Prefers the directory that systemd passes; otherwise that of the system or of the user. */
static void default_state_dir(const struct config_sources *sources, struct buf *out)
{
    const char *given = find_env(sources->env, STR("STATE_DIRECTORY"));
    const char *state = find_env(sources->env, STR("XDG_STATE_HOME"));
    const char *home = find_env(sources->env, STR("HOME"));

    if (given)
        buf_add(out, given, strcspn(given, ":"));
    else if (sources->is_root || (!state && !home))
        buf_text(out, "/var/lib/belfry");
    else if (state)
        buf_printf(out, "%s/belfry", state);
    else
        buf_printf(out, "%s/.local/state/belfry", home);
}

static enum rc set_defaults(struct config *config, const struct config_sources *sources,
                            struct err *reterr)
{
    char text[CONFIG_VALUE_MAX + 1];
    struct buf state_dir = BUF(text);
    struct config_source source = {CONFIG_FROM_DEFAULT, 0};

    for (int i = 0; i < CONFIG_KEYS; i++)
        if (config_keys[i].fallback)
            must(set_value(config, (enum config_id)i, str_of(config_keys[i].fallback), source,
                           reterr) == RC_OK);
    default_state_dir(sources, &state_dir);
    if (state_dir.cut ||
        set_value(config, CONFIG_STATE_DIR, buf_as_str(&state_dir), source, reterr) != RC_OK)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the environment has no usable directory; use --state-dir");
    return RC_OK;
}

/* ---- the file ---- */

static enum rc error_in_file(const struct config_sources *sources, int line, struct err *reterr)
{
    struct err inner = *reterr;
    const char *name = sources->file ? sources->file : "configuration";
    size_t len = strlen(name);

    return err_set(reterr, inner.rc, -1, 0, "%s:%d:%d: %s",
                   len > PATH_SHOWN ? name + len - PATH_SHOWN : name, line, inner.at + 1,
                   inner.text);
}

static enum rc unknown_key(const struct config_line *line, struct err *reterr)
{
    int near = config_key_nearest(line->key);

    if (near >= 0)
        return err_set(reterr, RC_INVALID, line->key_at, (int)line->key.len,
                       "unknown key \"%.*s\"; did you mean %s?", STR_ARG(line->key),
                       config_keys[near].name);
    return err_set(reterr, RC_INVALID, line->key_at, (int)line->key.len,
                   "unknown key \"%.*s\"; `belfry config` prints all keys", STR_ARG(line->key));
}

/* Sets the key that replaces an old name; only records a name that has no effect. */
static enum rc set_old(struct config *config, const struct config_old *old, struct str value,
                       struct config_source source, struct err *reterr)
{
    struct config_old_use *use = arena_take(config->arena, sizeof *use), **last = &config->olds;
    char text[CONFIG_VALUE_MAX + sizeof "ms"];
    struct buf new_value = BUF(text);

    while (*last)
        last = &(*last)->next;
    *use = (struct config_old_use){old, source, arena_str(config->arena, value), NULL};
    *last = use;
    if (old->id == OLD_NO_EFFECT)
        return RC_OK;
    config_old_value(old, value, &new_value);
    return set_value(config, (enum config_id)old->id, buf_as_str(&new_value), source, reterr);
}

static enum rc set_line(struct config *config, const struct config_line *line,
                        struct err *reterr)
{
    struct config_source source = {CONFIG_FROM_FILE, line->line};
    int id = config_key_find(line->key);
    const struct config_old *old = id < 0 ? config_old_find(line->key) : NULL;
    enum rc rc;

    if (id < 0 && !old)
        return unknown_key(line, reterr);
    if (old && old->id == OLD_NO_EFFECT)
        return set_old(config, old, line->value, source, reterr);
    id = old ? old->id : id;
    if (config->source[id].from == CONFIG_FROM_FILE)
        return err_set(reterr, RC_INVALID, line->key_at, (int)line->key.len,
                       "%s is already set in line %d", config_keys[id].name,
                       config->source[id].line);
    rc = old ? set_old(config, old, line->value, source, reterr)
             : set_value(config, (enum config_id)id, line->value, source, reterr);
    if (rc != RC_OK) {
        int inside = line->has_escapes || reterr->at < 0 ? 0 : reterr->at;

        reterr->at = line->value_at + inside;
    }
    return rc;
}

static enum rc set_file(struct config *config, const struct config_sources *sources,
                        struct err *reterr)
{
    struct config_file file;
    struct config_line line;
    bool found = true;

    if (sources->text.len > CONFIG_FILE_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "%.100s: file is too large; the limit is %d bytes",
                       sources->file ? sources->file : "configuration", CONFIG_FILE_MAX);
    config_file_begin(&file, sources->text);
    for (;;) {
        enum rc rc = config_file_next(&file, &line, &found, reterr);

        if (rc == RC_OK && !found)
            return RC_OK;
        if (rc == RC_OK)
            rc = set_line(config, &line, reterr);
        if (rc != RC_OK)
            return error_in_file(sources, file.line, reterr);
    }
}

/* ---- environment and flags ---- */

static void env_name(enum config_id id, struct buf *out)
{
    buf_str(out, ENV_PREFIX);
    for (const char *p = config_keys[id].name; *p != '\0'; p++)
        buf_char(out, *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p);
}

static void flag_name(enum config_id id, struct buf *out)
{
    buf_text(out, "--");
    for (const char *p = config_keys[id].name; *p != '\0'; p++)
        buf_char(out, *p == '_' ? '-' : *p);
}

/* The error repeats the value, except that of a database URL, which may contain a password. */
static enum rc set_named(struct config *config, enum config_id id, const char *value,
                         enum config_from from, struct err *reterr)
{
    char name_text[ENV_NAME_BYTES];
    struct buf name = BUF(name_text);
    struct err inner;
    enum rc rc = set_value(config, id, str_of(value), (struct config_source){from, 0}, &inner);

    if (rc == RC_OK)
        return RC_OK;
    if (from == CONFIG_FROM_ENV)
        env_name(id, &name);
    else
        flag_name(id, &name);
    if (id == CONFIG_DB)
        return err_set(reterr, rc, -1, 0, "%s: %s", name_text, inner.text);
    return err_set(reterr, rc, -1, 0, "%s=%.*s: %s", name_text, VALUE_SHOWN, value, inner.text);
}

/* Old names come first, so that BELFRY_KEY overrides them. */
static enum rc set_old_env(struct config *config, const struct config_sources *sources,
                           struct err *reterr)
{
    const struct config_source source = {CONFIG_FROM_ENV, 0};

    for (int i = 0; sources->env && sources->env[i]; i++) {
        const struct config_old *old;
        struct str name, value;
        struct err inner;

        if (!str_cut(str_of(sources->env[i]), '=', &name, &value) || value.len == 0)
            continue;
        old = config_old_find_env(name);
        if (old && set_old(config, old, value, source, &inner) != RC_OK)
            return err_set(reterr, inner.rc, -1, 0, "%.*s=%.*s: %s", STR_ARG(name), VALUE_SHOWN,
                           value.ptr, inner.text);
    }
    return RC_OK;
}

static enum rc set_env(struct config *config, const struct config_sources *sources,
                       struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < CONFIG_KEYS && rc == RC_OK; i++) {
        char text[ENV_NAME_BYTES];
        struct buf name = BUF(text);
        const char *value;

        env_name((enum config_id)i, &name);
        value = find_env(sources->env, buf_as_str(&name));
        if (value)
            rc = set_named(config, (enum config_id)i, value, CONFIG_FROM_ENV, reterr);
    }
    return rc;
}

static enum rc set_flags(struct config *config, const struct config_sources *sources,
                         struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; sources->flag && i < CONFIG_KEYS && rc == RC_OK; i++)
        if (sources->flag[i])
            rc = set_named(config, (enum config_id)i, sources->flag[i], CONFIG_FROM_FLAG,
                           reterr);
    return rc;
}

/* ---- checks of several keys ---- */

static enum rc check_listeners(const struct config *config, struct err *reterr)
{
    for (int i = 0; i < config->listen.count; i++) {
        const struct config_address *a = &config->listen.list[i];

        for (int j = 0; j < config->grpc.count; j++)
            if (a->port != 0 && a->port == config->grpc.list[j].port &&
                strcmp(a->host, config->grpc.list[j].host) == 0)
                return err_set(reterr, RC_INVALID, -1, 0,
                               "listen and grpc both contain %s port %d; one is enough, "
                               "because every listener supports gRPC",
                               a->host, a->port);
    }
    return RC_OK;
}

static enum rc check_whole(const struct config *config, struct err *reterr)
{
    if ((config->tls_cert.len == 0) != (config->tls_key.len == 0))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "tls_cert and tls_key must be set together; %s is missing",
                       config->tls_cert.len == 0 ? "tls_cert" : "tls_key");
    if (config->heartbeat >= config->lease)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "heartbeat must be shorter than lease; use a third of it");
    return check_listeners(config, reterr);
}

/* An empty `db` means the default. */
static enum rc set_db(struct config *config, struct err *reterr)
{
    char text[CONFIG_VALUE_MAX + 1];
    struct buf url = BUF(text);

    if (config->state_dir.len == 0)
        return err_set(reterr, RC_INVALID, -1, 0, "state_dir is empty; set a directory");
    if (config->db.len > 0)
        return RC_OK;
    buf_printf(&url, "sqlite:%s/belfry.db", config->state_dir.ptr);
    if (url.cut)
        return err_set(reterr, RC_LIMIT, -1, 0, "state_dir is too long");
    config->db = arena_str(config->arena, buf_as_str(&url));
    return RC_OK;
}

/* Replaces bytes that a table or JSON cannot show. */
static struct str printable(struct arena *arena, struct str name)
{
    char *text = arena_take(arena, name.len + 1);

    for (size_t at = 0; at < name.len;) {
        size_t n = str_utf8_length(str_from(name, at));

        memcpy(text + at, name.ptr + at, n > 0 ? n : 1);
        if (n == 0 || (unsigned char)name.ptr[at] < 0x20 || name.ptr[at] == 0x7f)
            text[at] = '?';
        at += n > 0 ? n : 1;
    }
    return (struct str){text, name.len};
}

enum rc config_read(const struct config_sources *sources, struct config **ret,
                    struct err *reterr)
{
    static enum rc (*const steps[])(struct config *, const struct config_sources *,
                                    struct err *) = {set_defaults, set_file, set_old_env,
                                                     set_env, set_flags};
    struct arena *arena = arena_new(ARENA_MAX);
    struct config *config = arena_take(arena, sizeof *config);
    enum rc rc = RC_OK;

    config->arena = arena;
    config->db = config->file = STR("");
    if (sources->file)
        config->file = printable(arena, str_of(sources->file));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && rc == RC_OK; i++)
        rc = steps[i](config, sources, reterr);
    if (rc == RC_OK)
        rc = set_db(config, reterr);
    if (rc == RC_OK)
        rc = check_whole(config, reterr);
    if (rc == RC_OK)
        *ret = config;
    else
        config_free(config);
    return rc;
}

enum rc config_load(const struct config_sources *sources, struct config **ret,
                    struct err *reterr)
{
    struct config_sources with_file = *sources;
    char *bytes;
    ssize_t len;
    enum rc rc;

    if (!sources->file)
        return config_read(sources, ret, reterr);
    bytes = malloc(CONFIG_FILE_MAX + 1);
    must(bytes);
    /* One byte more than the limit, to detect a larger file. */
    len = file_read_at(AT_FDCWD, sources->file, bytes, CONFIG_FILE_MAX + 1);
    if (len < 0) {
        rc = err_set(reterr, RC_NOT_FOUND, -1, 0, "cannot read %.200s: %s", sources->file,
                     strerror(errno));
    } else {
        with_file.text = (struct str){bytes, (size_t)len};
        rc = config_read(&with_file, ret, reterr);
    }
    free(bytes);
    return rc;
}

struct config *config_free(struct config *config)
{
    if (config)
        arena_free(config->arena); /* also frees the struct */
    return NULL;
}

/* Returns the key of this variable, or -1. */
static int find_env_key(struct str variable)
{
    for (int i = 0; i < CONFIG_KEYS; i++) {
        char text[ENV_NAME_BYTES];
        struct buf name = BUF(text);

        env_name((enum config_id)i, &name);
        if (str_eq(variable, buf_as_str(&name)))
            return i;
    }
    return -1;
}

/*
 * Variables that Belfry sets for programs (which may be belfry itself), and those that client
 * commands and scripts read.
 */
static bool is_other_use(struct str name)
{
    static const char *const names[] = {
        "RUN",     "SCHEDULE", "NAMESPACE",      "QUEUE",
        "ATTEMPT", "FENCE",    "SCHEDULED_TIME", "EXECUTION_TIME",
        "SERVER",  "TOKEN",    "CACERT",         "NO_BOOTSTRAP"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_eq(str_from(name, ENV_PREFIX.len), str_of(names[i])))
            return true;
    return false;
}

bool config_unknown_env(const char *const *env, int *at, struct err *ret_note)
{
    while (env && env[*at]) {
        struct str entry = str_of(env[(*at)++]), name = entry, value;
        char text[ENV_NAME_BYTES] = "";
        struct buf meant = BUF(text);
        int near;

        if (!str_starts(entry, ENV_PREFIX) || !str_cut(entry, '=', &name, &value) ||
            find_env_key(name) >= 0 || is_other_use(name))
            continue;
        near = config_key_nearest(str_from(name, ENV_PREFIX.len));
        if (near >= 0)
            env_name((enum config_id)near, &meant);
        err_set(ret_note, RC_INVALID, -1, 0, "%.*s in the environment is not used%s%s%s",
                STR_ARG(name), near >= 0 ? "; did you mean " : "", text, near >= 0 ? "?" : "");
        return true;
    }
    return false;
}

int config_changes(const struct config *a, const struct config *b,
                   struct config_change ret[CONFIG_KEYS])
{
    int count = 0;

    for (int i = 0; i < CONFIG_KEYS; i++) {
        char old_text[CONFIG_SHOWN_MAX], new_text[CONFIG_SHOWN_MAX];
        struct buf old = BUF(old_text), new = BUF(new_text);

        config_format(a, (enum config_id)i, &old);
        config_format(b, (enum config_id)i, &new);
        if (!str_eq(buf_as_str(&old), buf_as_str(&new)))
            ret[count++] = (struct config_change){(enum config_id)i,
                                                  config_keys[i].needs_restart};
    }
    return count;
}

void config_keep_restart_keys(struct config *fresh, const struct config *old)
{
    for (int i = 0; i < CONFIG_KEYS; i++)
        if (config_keys[i].needs_restart)
            config_value_copy(&config_keys[i], fresh, old);
}
