/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the target of an action as its dispatch will: first by settings, then by answers of
 * the lookup thread.
 */
#include "server/frontend/preflight.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/must.h"
#include "io/client/address_lookup.h"
#include "io/client/webhook_target.h"
#include "io/lookup.h"
#include "io/user_lookup.h"
#include "server/dispatch/dispatch_exec_allow.h"
#include "wire/json/json.h"

enum {
    WARNING_MAX = 512,         /* bytes of a sentence with a name                    */
    ALLOW_ARENA_MAX = 1 << 20, /* the list exec_allow, and paths while it is checked */
    PROGRAM_ARENA_MAX = 64 * 1024,
};

enum lookup_kind {
    LOOK_UP_HOST,
    LOOK_UP_USER,
    LOOK_UP_PROGRAM,
    LOOK_UP_DIRECTORY,
    LOOKUP_KINDS
};

struct preflight {
    struct preflight_options options;
    struct lookup *lookup;
};

/* The warnings of one action. */
struct review {
    const struct preflight *preflight;
    const struct namespace_entry *entry; /* under the lock of the cache */
    struct arena *arena;
    struct str *ret;
    int count;
};

/* ---- the lookup thread ---- */

struct allow_list {
    struct arena *arena;
    struct str *list;
    int count;
};

static struct allow_list *copy_allow(const struct config_texts *texts)
{
    struct arena *arena = arena_new(ALLOW_ARENA_MAX);
    struct allow_list *allow = arena_take(arena, sizeof *allow);

    *allow = (struct allow_list){
        .arena = arena,
        .list = arena_array(arena, (size_t)texts->count, sizeof *allow->list),
        .count = texts->count,
    };
    for (int i = 0; i < texts->count; i++)
        allow->list[i] = arena_str(arena, texts->list[i]);
    return allow;
}

static void free_allow(void *arg)
{
    arena_free(((struct allow_list *)arg)->arena);
}

static bool check_program(void *arg, const char *path, struct lookup_answer *ret)
{
    const struct allow_list *allow = arg;
    struct arena *arena = arena_new(PROGRAM_ARENA_MAX);
    struct str file;
    struct stat found;
    struct err err;
    bool is_file = stat(path, &found) == 0;

    if (!is_file)
        snprintf(ret->text, sizeof ret->text, "the program \"%s\" does not exist", path);
    else if (!S_ISREG(found.st_mode) || !(found.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
        snprintf(ret->text, sizeof ret->text, "the file \"%s\" is not executable", path);
    else if (exec_allowed(str_of(path), allow->list, allow->count, arena, &file, &err) != RC_OK)
        snprintf(ret->text, sizeof ret->text, "%s", err.text);
    arena_free(arena);
    return true;
}

static bool check_directory(void *arg, const char *path, struct lookup_answer *ret)
{
    struct stat found;

    (void)arg;
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode))
        snprintf(ret->text, sizeof ret->text, "the directory \"%s\" does not exist", path);
    return true;
}

struct preflight *preflight_new(const struct preflight_options *options)
{
    static lookup_fn *const kinds[LOOKUP_KINDS] = {
        [LOOK_UP_HOST] = address_lookup,
        [LOOK_UP_USER] = user_lookup,
        [LOOK_UP_PROGRAM] = check_program,
        [LOOK_UP_DIRECTORY] = check_directory,
    };
    struct preflight *preflight = calloc(1, sizeof *preflight);

    must(preflight);
    preflight->options = *options;
    preflight->lookup = lookup_new(kinds, LOOKUP_KINDS,
                                   copy_allow(&options->config->exec_allow), free_allow);
    return preflight;
}

struct preflight *preflight_free(struct preflight *preflight)
{
    if (!preflight)
        return NULL;
    lookup_free(preflight->lookup);
    free(preflight);
    return NULL;
}

/* ---- warnings ---- */

static void warn(struct review *r, const char *fmt, ...) PRINTF(2, 3);
static void warn(struct review *r, const char *fmt, ...)
{
    static const char head[] = "its runs fail, because ";
    char *text = arena_take(r->arena, WARNING_MAX);
    va_list args;

    must(r->count < CONTEXT_WARNINGS_MAX);
    memcpy(text, head, sizeof head);
    va_start(args, fmt);
    vsnprintf(text + sizeof head - 1, WARNING_MAX - sizeof head + 1, fmt, args);
    va_end(args);
    r->ret[r->count++] = str_whole(str_of(text)); /* it may be cut inside a character */
}

static bool look_up(const struct review *r, enum lookup_kind kind, struct str name,
                    struct lookup_answer *ret)
{
    return lookup_ask(r->preflight->lookup, (int)kind, name, r->entry->id, ret);
}

static void warn_by_answer(struct review *r, enum lookup_kind kind, struct str name)
{
    struct lookup_answer answer;

    if (name.len > 0 && look_up(r, kind, name, &answer) && answer.text[0] != '\0')
        warn(r, "%s", answer.text);
}

/* ---- targets ---- */

/* The policy that dispatch_address_policy() will use for a run. */
static struct address_policy policy_of(const struct review *r)
{
    const struct preflight_options *options = &r->preflight->options;
    const struct dispatch_settings *settings = &r->entry->settings;
    bool is_private = options->config->http_allow_private;

    return dispatch_settings_policy(settings, &(struct address_policy){
                                                  .allows_loopback = is_private,
                                                  .allows_private = is_private,
                                                  .deny = options->self_nets,
                                                  .deny_count = options->self_net_count,
                                              });
}

static const char *denial_text(const struct address_policy *policy, const struct address *addr)
{
    struct address_policy open = *policy;

    open.deny_count = 0;
    return address_policy_permits(&open, addr) ? "an address of this server"
                                               : address_class_text(address_class_of(addr));
}

/* The address in a URL is checked at once. */
static void check_address(struct review *r, const char *what, const struct address *addr)
{
    struct address_policy policy = policy_of(r);
    char text[64]; /* above INET6_ADDRSTRLEN */
    struct buf shown = BUF(text);

    if (address_policy_permits(&policy, addr))
        return;
    address_print(addr, &shown);
    warn(r,
         "%s leads to %s, %s, which this server does not call; see http_allow_private and "
         "allowNetworks",
         what, text, denial_text(&policy, addr));
}

/*
 * A name is denied if all its addresses are, as the dispatch tries one after the other.  The
 * addresses are not shown, so that a schedule cannot be used to query the name server.
 */
static void check_name(struct review *r, const char *what, const struct webhook_target *target)
{
    struct address_policy policy = policy_of(r);
    struct lookup_answer answer;
    struct address addr = {.port = target->port};
    bool is_permitted = false;

    if (!look_up(r, LOOK_UP_HOST, str_of(target->host), &answer))
        return;
    for (int i = 0; i < answer.address_count; i++) {
        memcpy(addr.bytes, answer.addresses[i], sizeof addr.bytes);
        is_permitted |= address_policy_permits(&policy, &addr);
    }
    if (answer.text[0] != '\0')
        warn(r, "%s", answer.text);
    else if (!is_permitted)
        warn(r,
             "%s leads to \"%s\", which has no address that this server calls; see "
             "http_allow_private and allowNetworks",
             what, target->host);
}

static void check_url(struct review *r, const char *what, struct str url)
{
    struct webhook_target target;
    struct address addr;

    if (!webhook_target(url, &target))
        return; /* for example, a template makes it unknown */
    if (address_read(target.host, target.port, &addr))
        check_address(r, what, &addr);
    else
        check_name(r, what, &target);
}

/* ---- actions ---- */

static struct str read_text(const json_t *json, const char *name)
{
    const json_t *value = json_object_get(json, name);

    if (!json_is_string(value))
        return (struct str){NULL, 0};
    return (struct str){json_string_value(value), json_string_length(value)};
}

static bool has_template(struct str text)
{
    return text.len > 0 && memmem(text.ptr, text.len, "${", 2);
}

/* A template after the host does not matter. */
static struct str url_origin(struct str url)
{
    struct str scheme, rest, host;
    const char *dollar = url.len > 0 ? memmem(url.ptr, url.len, "${", 2) : NULL;

    if (!dollar)
        return url;
    if (!str_cut(url, '/', &scheme, &rest) || !str_cut(str_from(rest, 1), '/', &host, &rest) ||
        dollar < host.ptr + host.len)
        return (struct str){NULL, 0};
    return (struct str){url.ptr, (size_t)(host.ptr + host.len - url.ptr)};
}

static void review_http(struct review *r, const json_t *action)
{
    struct str sign = read_text(action, "sign");

    check_url(r, "the URL", url_origin(read_text(action, "url")));
    if (sign.len > 0 && !signing_keys(&r->entry->settings, sign))
        warn(r, "the namespace has no signing key \"%.*s\"", STR_ARG(sign));
}

static void review_exec(struct review *r, const json_t *action)
{
    const json_t *program = json_array_get(json_object_get(action, "argv"), 0);
    struct str path = json_is_string(program) ? str_of(json_string_value(program))
                                              : (struct str){NULL, 0};

    if (!r->preflight->options.config->exec)
        return; /* the API warns that exec is disabled */
    if (!has_template(path))
        warn_by_answer(r, LOOK_UP_PROGRAM, path);
    warn_by_answer(r, LOOK_UP_DIRECTORY, read_text(action, "cwd"));
    warn_by_answer(r, LOOK_UP_USER, read_text(action, "user"));
}

static void review_workflow(struct review *r, const json_t *action)
{
    struct str name = read_text(action, "upstream");
    const struct upstream_settings *upstream = upstream_settings(&r->entry->settings.plain,
                                                                 name);

    if (upstream)
        check_url(r, "the upstream", upstream->url);
    else if (name.len > 0)
        warn(r, "the namespace has no upstream \"%.*s\"", STR_ARG(name));
}

int preflight_warnings(struct preflight *preflight, const struct context_action *action,
                       struct arena *arena, struct str ret[static CONTEXT_WARNINGS_MAX])
{
    static const struct {
        struct str head; /* of the stored action */
        void (*review)(struct review *r, const json_t *action);
    } kinds[] = {
        {{"{\"type\":\"http\"", 14}, review_http},
        {{"{\"type\":\"exec\"", 14}, review_exec},
        {{"{\"type\":\"workflow\"", 18}, review_workflow},
    };
    struct namespace_cache *namespaces = preflight->options.namespaces;
    struct review r = {.preflight = preflight, .arena = arena, .ret = ret};
    json_auto_t *json = NULL;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!str_starts(action->json, kinds[i].head))
            continue;
        json = json_of_kept(action->json);
        namespace_cache_lock(namespaces);
        r.entry = namespace_cache_find(namespaces, action->namespace);
        if (json && r.entry)
            kinds[i].review(&r, json);
        namespace_cache_unlock(namespaces);
        break;
    }
    return r.count;
}
