/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the settings of a namespace, and hides their secrets for display.
 */
#include "model/namespace_settings.h"

#include "base/must.h"
#include "model/action.h"
#include "model/action_check.h"

struct settings_reading {
    struct arena *arena;
    struct namespace_settings *to;
};

/* ---- objects with names as keys ---- */

struct named {
    struct str name;
    const json_t *value;
};

/* Reads the members of an object in order; fails with RC_LIMIT above `max`. */
static enum rc read_names(const json_t *value, int max, struct arena *arena, struct named **ret,
                          int *ret_count, struct err *reterr)
{
    json_t *object = (json_t *)(uintptr_t)value; /* jansson has no const iterators */
    size_t count = json_object_size(value), n = 0;

    if (!json_is_object(value))
        return json_wrong_type(value, "an object", reterr);
    if (count > (size_t)max)
        return err_set(reterr, RC_LIMIT, -1, 0, "has %zu entries; the limit is %d", count, max);
    *ret = arena_array(arena, count, sizeof **ret);
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        struct str name = {json_object_iter_key(i), json_object_iter_key_len(i)};

        if (name.len > ACTION_NAME_MAX)
            return err_set(reterr, RC_LIMIT, -1, 0, "name is too long; the limit is %d bytes",
                           ACTION_NAME_MAX);
        if (name_check(name, reterr) != RC_OK)
            return reterr->rc;
        (*ret)[n++] = (struct named){arena_str(arena, name), json_object_iter_value(i)};
    }
    *ret_count = (int)count;
    return RC_OK;
}

/* ---- fields ---- */

static enum rc read_allow_private(const json_t *value, void *to, struct err *reterr)
{
    struct namespace_settings *settings = ((struct settings_reading *)to)->to;

    if (!json_is_boolean(value))
        return json_wrong_type(value, "true or false", reterr);
    settings->allows_private = json_is_true(value);
    settings->has_allows_private = true;
    return RC_OK;
}

static enum rc read_allow_networks(const json_t *value, void *to, struct err *reterr)
{
    /* "[ffff:…:255.255.255.255/128]:65535" has 60 bytes */
    static const struct texts_rule rule = {NAMESPACE_SETTINGS_NETS_MAX, 64, NULL};
    struct settings_reading *r = to;

    return texts_read(value, &rule, r->arena, &r->to->nets, reterr);
}

static enum rc read_secrets(const json_t *value, struct arena *arena, struct texts *ret,
                            struct err *reterr)
{
    /* "whsec_" and 64 bytes in base64 have 94 bytes */
    static const struct texts_rule rule = {NAMESPACE_SETTINGS_SECRETS_MAX, 128, NULL};
    enum rc rc = texts_read(value, &rule, arena, ret, reterr);

    if (rc == RC_OK && ret->count == 0)
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "is empty; it must contain the current key, and may contain the next one");
    return rc;
}

static enum rc read_keys(const json_t *value, void *to, struct err *reterr)
{
    struct settings_reading *r = to;
    struct namespace_settings *settings = r->to;
    struct named *named = NULL;
    enum rc rc = read_names(value, NAMESPACE_SETTINGS_KEYS_MAX, r->arena, &named,
                            &settings->key_count, reterr);

    if (rc != RC_OK)
        return rc;
    must(named);
    settings->keys = arena_array(r->arena, (size_t)settings->key_count, sizeof *settings->keys);
    for (int i = 0; rc == RC_OK && i < settings->key_count; i++) {
        settings->keys[i].name = named[i].name;
        rc = read_secrets(named[i].value, r->arena, &settings->keys[i].secrets, reterr);
        if (rc != RC_OK)
            err_in_key(reterr, named[i].name);
    }
    return rc;
}

/* ---- search attributes ---- */

static enum rc read_attribute_type(const json_t *value, enum attribute_type *ret,
                                   struct err *reterr)
{
    struct str text = {json_string_value(value), json_string_length(value)};

    if (!json_is_string(value))
        return json_wrong_type(value, "a text", reterr);
    *ret = attribute_type_of(text);
    if (*ret == ATTRIBUTE_NONE)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "unknown type \"%.*s\"; use Text, Keyword, Int, Double, Bool, "
                       "Datetime or KeywordList",
                       STR_ARG(text));
    return RC_OK;
}

static enum rc read_search_attributes(const json_t *value, void *to, struct err *reterr)
{
    struct settings_reading *r = to;
    struct search_attributes *list = &r->to->attributes;
    struct named *named = NULL;
    enum rc rc = read_names(value, SEARCH_ATTRIBUTES_MAX, r->arena, &named, &list->count,
                            reterr);

    if (rc != RC_OK)
        return rc;
    must(named);
    list->at = arena_array(r->arena, (size_t)list->count, sizeof *list->at);
    for (int i = 0; rc == RC_OK && i < list->count; i++) {
        list->at[i].name = named[i].name;
        if (search_attribute_is_system(named[i].name) ||
            search_attributes_type(&search_attributes_predefined, named[i].name))
            rc = err_set(reterr, RC_INVALID, -1, 0, "is an attribute of Temporal itself");
        else
            rc = read_attribute_type(named[i].value, &list->at[i].type, reterr);
        if (rc != RC_OK)
            err_in_key(reterr, named[i].name);
    }
    r->to->has_attributes = true;
    return rc;
}

/* ---- limits ---- */

static enum rc read_number(const json_t *value, int64_t max, int64_t *ret, struct err *reterr)
{
    json_int_t number = json_integer_value(value);

    if (!json_is_integer(value))
        return json_wrong_type(value, "a whole number", reterr);
    if (number < 0 || number > max)
        return err_set(reterr, RC_INVALID, -1, 0, "must be 0 (no limit) to %lld, not %lld",
                       (long long)max, (long long)number);
    *ret = number;
    return RC_OK;
}

static enum rc read_rate_read(const json_t *value, void *to, struct err *reterr)
{
    int64_t rate = 0;
    enum rc rc = read_number(value, NAMESPACE_SETTINGS_RATE_MAX, &rate, reterr);

    ((struct settings_reading *)to)->to->rate_read = (int)rate;
    return rc;
}

static enum rc read_rate_write(const json_t *value, void *to, struct err *reterr)
{
    int64_t rate = 0;
    enum rc rc = read_number(value, NAMESPACE_SETTINGS_RATE_MAX, &rate, reterr);

    ((struct settings_reading *)to)->to->rate_write = (int)rate;
    return rc;
}

static enum rc read_quota(const json_t *value, void *to, struct err *reterr)
{
    struct namespace_settings *settings = ((struct settings_reading *)to)->to;

    settings->has_quota = true;
    return read_number(value, NAMESPACE_SETTINGS_QUOTA_MAX, &settings->quota_schedules, reterr);
}

/* ---- upstreams ---- */

struct upstream_reading {
    struct arena *arena;
    struct upstream_settings *to;
};

static enum rc read_upstream_type(const json_t *value, void *to, struct err *reterr)
{
    static const struct str types[] = {
        [UPSTREAM_CONDUCTOR] = {"conductor", 9},
        [UPSTREAM_TEMPORAL] = {"temporal", 8},
    };
    struct upstream_reading *r = to;
    struct str word;

    if (json_take_str(value, MEMBER_WORD_MAX, &word, reterr) != RC_OK)
        return reterr->rc;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eq(word, types[i])) {
            r->to->type = (enum upstream_type)i;
            return RC_OK;
        }
    return err_set(reterr, RC_INVALID, 0, (int)word.len,
                   "unknown upstream type \"%.*s\"; use conductor or temporal", STR_ARG(word));
}

static bool has_path(struct str url)
{
    struct str scheme, host;

    return str_cut(url, ':', &scheme, &host) && host.len > 2 &&
           memchr(host.ptr + 2, '/', host.len - 2);
}

static enum rc read_upstream_url(const json_t *value, void *to, struct err *reterr)
{
    struct upstream_reading *r = to;
    struct str url;
    enum rc rc = json_take_kept(value, HTTP_URL_MAX, r->arena, &url, reterr);

    if (rc == RC_OK)
        rc = http_url_check(url, reterr);
    if (rc != RC_OK)
        return rc;
    if (memchr(url.ptr, '?', url.len) || memchr(url.ptr, '#', url.len))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "must not contain ? or #; it ends with a path such as /api, and "
                       "/workflow is added");
    while (url.len > 0 && url.ptr[url.len - 1] == '/')
        url.len--;
    if (r->to->type == UPSTREAM_TEMPORAL && has_path(url))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "must be a host and a port, such as https://temporal:7233; Temporal has "
                       "no path");
    r->to->url = url;
    return RC_OK;
}

/* Reads a text that only an upstream of type Temporal has. */
static enum rc read_temporal_text(const json_t *value, int max, struct upstream_reading *r,
                                  struct str *ret, struct err *reterr)
{
    if (r->to->type != UPSTREAM_TEMPORAL)
        return err_set(reterr, RC_INVALID, -1, 0, "requires an upstream of type temporal");
    return json_take_kept(value, max, r->arena, ret, reterr);
}

static enum rc read_upstream_namespace(const json_t *value, void *to, struct err *reterr)
{
    struct upstream_reading *r = to;
    enum rc rc = read_temporal_text(value, ACTION_NAME_MAX, r, &r->to->namespace, reterr);

    /* The text is also sent as a header. */
    return rc == RC_OK ? http_header_value_check(r->to->namespace, reterr) : rc;
}

static enum rc read_upstream_headers(const json_t *value, void *to, struct err *reterr)
{
    static const struct pairs_rule rule = {HTTP_HEADERS_MAX, HTTP_HEADER_NAME_MAX,
                                           HTTP_HEADER_VALUE_MAX, http_header_name_check,
                                           http_header_value_check};
    struct upstream_reading *r = to;

    return pairs_read(value, &rule, r->arena, &r->to->headers, reterr);
}

/* Adds a header after the others, which upstream_fields lists before it. */
static enum rc read_upstream_key(const json_t *value, void *to, struct err *reterr)
{
    struct upstream_reading *r = to;
    struct pairs *headers = &r->to->headers;
    size_t count = (size_t)headers->count;
    struct pair *list = arena_array(r->arena, count + 1, sizeof *list);
    struct str key;
    struct buf bearer;
    enum rc rc = read_temporal_text(value, HTTP_HEADER_VALUE_MAX - (int)sizeof "Bearer ", r,
                                    &key, reterr);

    if (rc == RC_OK)
        rc = http_header_value_check(key, reterr);
    if (rc != RC_OK)
        return rc;
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(headers->list[i].name, STR("authorization")))
            return err_set(reterr, RC_INVALID, -1, 0,
                           "sets the header authorization, which is already among the headers");
    bearer = (struct buf){.cap = sizeof "Bearer " + key.len};
    bearer.ptr = arena_take(r->arena, bearer.cap);
    buf_text(&bearer, "Bearer ");
    buf_str(&bearer, key);
    if (count > 0)
        memcpy(list, headers->list, count * sizeof *list);
    list[count] = (struct pair){STR("authorization"), buf_as_str(&bearer)};
    *headers = (struct pairs){list, headers->count + 1};
    return RC_OK;
}

static enum rc read_unique_correlation(const json_t *value, void *to, struct err *reterr)
{
    struct upstream_reading *r = to;

    if (!json_is_boolean(value))
        return json_wrong_type(value, "true or false", reterr);
    if (r->to->type != UPSTREAM_CONDUCTOR)
        return err_set(reterr, RC_INVALID, -1, 0, "requires an upstream of type conductor");
    r->to->has_unique_correlation = json_is_true(value);
    return RC_OK;
}

static enum rc read_bounded(const json_t *value, int64_t min, int64_t max, int *ret,
                            struct err *reterr)
{
    json_int_t number = json_integer_value(value);

    if (!json_is_integer(value))
        return json_wrong_type(value, "a whole number", reterr);
    if (number < min || number > max)
        return err_set(reterr, RC_INVALID, -1, 0, "must be %lld to %lld, not %lld",
                       (long long)min, (long long)max, (long long)number);
    *ret = (int)number;
    return RC_OK;
}

static enum rc read_follow_rate(const json_t *value, void *to, struct err *reterr)
{
    struct upstream_reading *r = to;

    return read_bounded(value, 1, UPSTREAM_FOLLOW_RATE_MAX, &r->to->follow_rate, reterr);
}

static enum rc read_long_polls(const json_t *value, void *to, struct err *reterr)
{
    struct upstream_reading *r = to;

    if (r->to->type != UPSTREAM_TEMPORAL)
        return err_set(reterr, RC_INVALID, -1, 0, "requires an upstream of type temporal");
    return read_bounded(value, 0, UPSTREAM_LONG_POLLS_MAX, &r->to->long_polls, reterr);
}

/* ---- TLS of an upstream ---- */

struct tls_reading {
    struct arena *arena;
    struct upstream_tls *to;
};

static enum rc read_tls_ca(const json_t *value, void *to, struct err *reterr)
{
    struct tls_reading *r = to;

    return json_take_kept(value, NAMESPACE_SETTINGS_PEM_MAX, r->arena, &r->to->ca, reterr);
}

static enum rc read_tls_cert(const json_t *value, void *to, struct err *reterr)
{
    struct tls_reading *r = to;

    return json_take_kept(value, NAMESPACE_SETTINGS_PEM_MAX, r->arena, &r->to->cert, reterr);
}

static enum rc read_tls_key(const json_t *value, void *to, struct err *reterr)
{
    struct tls_reading *r = to;

    return json_take_kept(value, NAMESPACE_SETTINGS_PEM_MAX, r->arena, &r->to->key, reterr);
}

static enum rc read_tls_name(const json_t *value, void *to, struct err *reterr)
{
    struct tls_reading *r = to;
    enum rc rc = json_take_kept(value, ACTION_NAME_MAX, r->arena, &r->to->server_name, reterr);

    return rc == RC_OK ? http_header_value_check(r->to->server_name, reterr) : rc;
}

static const struct json_field tls_fields[] = {
    {"ca", read_tls_ca},
    {"cert", read_tls_cert},
    {"key", read_tls_key},
    {"serverName", read_tls_name},
};

static enum rc read_upstream_tls(const json_t *value, void *to, struct err *reterr)
{
    struct upstream_reading *r = to;
    struct tls_reading tls = {r->arena, &r->to->tls};
    enum rc rc;

    if (!str_starts(r->to->url, STR("https://")))
        return err_set(reterr, RC_INVALID, -1, 0, "requires a URL that begins with https://");
    rc = json_take_object(value, JSON_SHAPE(tls_fields), &tls, reterr);
    if (rc == RC_OK && (tls.to->cert.len > 0) != (tls.to->key.len > 0))
        return err_set(reterr, RC_INVALID, -1, 0, "cert and key require each other");
    return rc;
}

/* Read in this order, regardless of the order in the text. */
static const struct json_field upstream_fields[] = {
    {"type", read_upstream_type},       {"url", read_upstream_url},
    {"headers", read_upstream_headers}, {"namespace", read_upstream_namespace},
    {"apiKey", read_upstream_key},      {"uniqueCorrelation", read_unique_correlation},
    {"tls", read_upstream_tls},         {"followRate", read_follow_rate},
    {"longPolls", read_long_polls},
};

static enum rc read_upstream(const json_t *value, struct upstream_reading *r,
                             struct err *reterr)
{
    enum rc rc = json_take_object(value, JSON_SHAPE(upstream_fields), r, reterr);

    return rc == RC_OK ? json_require(value, "url", reterr) : rc;
}

static enum rc read_upstreams(const json_t *value, void *to, struct err *reterr)
{
    struct settings_reading *r = to;
    struct namespace_settings *settings = r->to;
    struct named *named = NULL;
    enum rc rc = read_names(value, NAMESPACE_SETTINGS_UPSTREAMS_MAX, r->arena, &named,
                            &settings->upstream_count, reterr);

    if (rc != RC_OK)
        return rc;
    must(named);
    settings->upstreams = arena_array(r->arena, (size_t)settings->upstream_count,
                                      sizeof *settings->upstreams);
    for (int i = 0; rc == RC_OK && i < settings->upstream_count; i++) {
        struct upstream_reading one = {r->arena, &settings->upstreams[i]};

        one.to->name = named[i].name;
        one.to->namespace = STR("default");
        one.to->follow_rate = UPSTREAM_FOLLOW_RATE;
        one.to->long_polls = UPSTREAM_LONG_POLLS;
        rc = read_upstream(named[i].value, &one, reterr);
        if (rc != RC_OK)
            err_in_key(reterr, named[i].name);
    }
    return rc;
}

/* Read after "upstreams", regardless of the order in the text: see `settings_fields`. */
static enum rc read_default_upstream(const json_t *value, void *to, struct err *reterr)
{
    struct settings_reading *r = to;
    struct str name;

    if (json_take_kept(value, ACTION_NAME_MAX, r->arena, &name, reterr) != RC_OK)
        return reterr->rc;
    if (name.len == 0 || !upstream_settings(r->to, name))
        return err_set(reterr, RC_INVALID, 0, (int)name.len, "unknown upstream \"%.*s\"",
                       STR_ARG(name));
    r->to->default_upstream = name;
    return RC_OK;
}

/* ---- interface ---- */

static const struct json_field settings_fields[] = {
    {"allowPrivate", read_allow_private},
    {"allowNetworks", read_allow_networks},
    {"keys", read_keys},
    {"upstreams", read_upstreams},
    {"upstream", read_default_upstream},
    {"rateRead", read_rate_read},
    {"rateWrite", read_rate_write},
    {"quotaSchedules", read_quota},
    {"searchAttributes", read_search_attributes},
};

enum rc namespace_settings_read(struct str json, struct arena *arena,
                                struct namespace_settings *ret, struct err *reterr)
{
    struct namespace_settings settings = {0};
    struct settings_reading reading = {arena, &settings};
    json_auto_t *value = NULL;
    enum rc rc;

    if (json.len > NAMESPACE_SETTINGS_BYTES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "settings are %zu bytes; the limit is %d",
                       json.len, NAMESPACE_SETTINGS_BYTES_MAX);
    rc = json_read(json, &value, reterr);
    if (rc == RC_OK)
        rc = json_take_object(value, JSON_SHAPE(settings_fields), &reading, reterr);
    if (rc == RC_OK)
        *ret = settings;
    return rc;
}

static json_t *hidden_value(void)
{
    return json_of_word("set");
}

/* Hides each item of a list, each value of an object, and any other value as a whole. */
static void hide_in(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    if (value && !json_is_object(value) && !json_is_array(value)) {
        json_put(object, key, hidden_value());
        return; /* json_put() has freed the value */
    }
    for (void *i = json_object_iter(value); i; i = json_object_iter_next(value, i))
        must(json_object_iter_set_new(value, i, hidden_value()) == 0);
    for (size_t i = 0; i < json_array_size(value); i++)
        must(json_array_set_new(value, i, hidden_value()) == 0);
}

static void hide_secrets(json_t *upstream)
{
    hide_in(upstream, "headers");
    hide_in(upstream, "apiKey");
    hide_in(json_object_get(upstream, "tls"), "key");
}

struct str namespace_settings_show(struct str json, struct arena *arena)
{
    json_auto_t *value = json_of_kept(json);
    json_t *keys = json_object_get(value, "keys");
    json_t *upstreams = json_object_get(value, "upstreams");
    struct str text;
    struct err err;

    if (!json_is_object(value))
        return STR("{}");
    for (void *i = json_object_iter(keys); i; i = json_object_iter_next(keys, i))
        hide_in(keys, json_object_iter_key(i));
    for (void *i = json_object_iter(upstreams); i; i = json_object_iter_next(upstreams, i))
        hide_secrets(json_object_iter_value(i));
    must(json_keep(value, SIZE_MAX, arena, &text, &err) == RC_OK);
    return text;
}

const struct upstream_settings *upstream_settings(const struct namespace_settings *settings,
                                                  struct str name)
{
    if (name.len == 0)
        name = settings->default_upstream;
    for (int i = 0; i < settings->upstream_count; i++)
        if (str_eq(settings->upstreams[i].name, name))
            return &settings->upstreams[i];
    return NULL;
}

const struct upstream_settings *upstream_of_type(const struct namespace_settings *settings,
                                                 enum upstream_type type)
{
    const struct upstream_settings *found = upstream_settings(settings, STR("")), *only = NULL;

    if (found && found->type == type)
        return found;
    for (int i = 0; i < settings->upstream_count; i++)
        if (settings->upstreams[i].type == type) {
            if (only)
                return NULL;
            only = &settings->upstreams[i];
        }
    return only;
}
