/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the networks and keys of a namespace's settings.
 */
#include "server/dispatch/dispatch_settings.h"

#include <assert.h>

#include "io/net/tls_connect.h"

static_assert((int)NAMESPACE_SETTINGS_SECRETS_MAX == (int)SIGNATURE_KEYS_MAX,
              "all keys of a name sign");

static enum rc parse_nets(struct texts texts, struct address_net *nets, struct err *reterr)
{
    for (int i = 0; i < texts.count; i++)
        if (address_net_parse(texts.list[i], &nets[i], reterr) != RC_OK) {
            err_in(reterr, "allowNetworks[%d]", i);
            return reterr->rc;
        }
    return RC_OK;
}

static enum rc parse_keys(const struct key_settings *key, struct signing_keys *ret,
                          struct err *reterr)
{
    for (int i = 0; i < key->secrets.count; i++)
        if (signature_key_parse(key->secrets.list[i], &ret->keys[i], reterr) != RC_OK) {
            err_in(reterr, "[%d]", i);
            err_in_key(reterr, key->name);
            err_in(reterr, "keys");
            return reterr->rc;
        }
    ret->count = key->secrets.count;
    return RC_OK;
}

/* A certificate that OpenSSL cannot use would fail every request to the upstream. */
static enum rc check_tls(const struct upstream_settings *upstream, struct err *reterr)
{
    const struct tls_connect_rules rules = {
        .ca = upstream->tls.ca, .cert = upstream->tls.cert, .key = upstream->tls.key};
    struct tls_context *context = NULL;
    enum rc rc;

    if (rules.ca.len == 0 && rules.cert.len == 0)
        return RC_OK;
    rc = tls_connect_context(&rules, &context, reterr);
    tls_context_free(context);
    if (rc == RC_OK)
        return RC_OK;
    err_in(reterr, "tls");
    err_in_key(reterr, upstream->name);
    return err_in(reterr, "upstreams");
}

enum rc dispatch_settings_read(struct str json, struct arena *arena,
                               struct dispatch_settings *ret, struct err *reterr)
{
    struct dispatch_settings settings = {0};
    struct namespace_settings *plain = &settings.plain;
    enum rc rc = namespace_settings_read(json, arena, plain, reterr);

    if (rc != RC_OK)
        return rc;
    settings.nets = arena_array(arena, (size_t)plain->nets.count, sizeof *settings.nets);
    settings.keys = arena_array(arena, (size_t)plain->key_count, sizeof *settings.keys);
    rc = parse_nets(plain->nets, settings.nets, reterr);
    for (int i = 0; i < plain->key_count && rc == RC_OK; i++)
        rc = parse_keys(&plain->keys[i], &settings.keys[i], reterr);
    for (int i = 0; i < plain->upstream_count && rc == RC_OK; i++)
        rc = check_tls(&plain->upstreams[i], reterr);
    if (rc == RC_OK)
        *ret = settings;
    return rc;
}

struct address_policy dispatch_settings_policy(const struct dispatch_settings *settings,
                                               const struct address_policy *server)
{
    struct address_policy policy = *server;

    if (settings->plain.has_allows_private)
        policy.allows_private = settings->plain.allows_private;
    policy.allow = settings->nets;
    policy.allow_count = settings->plain.nets.count;
    return policy;
}

const struct signing_keys *signing_keys(const struct dispatch_settings *settings,
                                        struct str name)
{
    for (int i = 0; i < settings->plain.key_count; i++)
        if (str_eq(settings->plain.keys[i].name, name))
            return &settings->keys[i];
    return NULL;
}
