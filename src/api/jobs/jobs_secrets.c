/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets in payloads: answers hide them, and a client that sends an answer back keeps them.
 */
#include "api/jobs/jobs_doc.h"
#include "base/must.h"
#include "model/member.h"

#define MASK "***"

static bool is_secret(const char *name)
{
    static const char *const parts[] = {"password", "passwd",     "passphrase",
                                        "secret",   "token",      "api_key",
                                        "apikey",   "privatekey", "private_key"};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (str_contains_nocase(str_of(name), str_of(parts[i])))
            return true;
    return false;
}

/* JSON_DEPTH_MAX limits the recursion. */
void jobs_hide_secrets(json_t *json)
{
    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at)) {
        json_t *value = json_object_iter_value(at);

        if (!is_secret(json_object_iter_key(at)))
            jobs_hide_secrets(value);
        else if (!json_is_null(value))
            must(json_object_iter_set_new(json, at, json_new_str(STR(MASK))) == 0);
    }
    for (size_t i = 0; i < json_array_size(json); i++)
        jobs_hide_secrets(json_array_get(json, i));
}

static bool is_mask(const json_t *value)
{
    return json_is_string(value) && str_eq(str_of(json_string_value(value)), STR(MASK));
}

/* JSON_DEPTH_MAX limits the recursion. */
enum rc jobs_restore_secrets(json_t *json, const json_t *stored, struct err *reterr)
{
    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at)) {
        const char *name = json_object_iter_key(at);
        json_t *value = json_object_iter_value(at), *old = json_object_get(stored, name);

        if (!is_secret(name)) {
            if (jobs_restore_secrets(value, old, reterr) != RC_OK)
                return err_in(reterr, "%s", name);
        } else if (is_mask(value)) {
            if (!old || json_is_null(old))
                return err_field(reterr, name,
                                 "\"***\" keeps a stored value, but none is stored; send the "
                                 "value");
            must(json_object_iter_set_new(json, at, json_deep_copy(old)) == 0);
        }
    }
    for (size_t i = 0; i < json_array_size(json); i++)
        if (jobs_restore_secrets(json_array_get(json, i), json_array_get(stored, i), reterr) !=
            RC_OK)
            return err_in(reterr, "[%zu]", i);
    return RC_OK;
}
