/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of a namespace as dispatches need them: networks and keys are parsed.
 */
#pragma once

#include "io/client/address_policy.h"
#include "io/client/signature.h"
#include "model/namespace_settings.h"

/* The keys of one name: the current one and the next. */
struct signing_keys {
    struct signature_key keys[SIGNATURE_KEYS_MAX];
    int count;
};

struct dispatch_settings {
    struct namespace_settings plain;
    struct address_net *nets;  /* as many as plain.nets */
    struct signing_keys *keys; /* of plain.keys, in the same order */
};

/* Reads and checks all settings.  Errors name the field.  *ret points into `arena`. */
MUST_USE enum rc dispatch_settings_read(struct str json, struct arena *arena,
                                        struct dispatch_settings *ret, struct err *reterr);

/* The server's policy with what the namespace allows; refers to the settings. */
struct address_policy dispatch_settings_policy(const struct dispatch_settings *settings,
                                               const struct address_policy *server);

/* Returns NULL if no key has that name. */
const struct signing_keys *signing_keys(const struct dispatch_settings *settings,
                                        struct str name);
