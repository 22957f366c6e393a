/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One value of the configuration: text ↔ typed, by the row of its key.
 */
#pragma once

#include "base/arena.h"
#include "server/config/config_keys.h"

/* Puts the value into *config; texts are copied into its arena. */
MUST_USE enum rc config_value_read(const struct config_key *key, struct str text,
                                   struct config *config, struct err *reterr);

/* Texts are not copied. */
void config_value_copy(const struct config_key *key, struct config *to,
                       const struct config *from);

/* Canonical: reading it gives the same value. */
void config_value_write(const struct config_key *key, const struct config *config,
                        struct buf *out);
