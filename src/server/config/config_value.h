/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts one value of the configuration between text and its type.
 */
#pragma once

#include "base/arena.h"
#include "server/config/config_keys.h"

/* Stores the value in *config; copies texts into its arena. */
MUST_USE enum rc config_value_read(const struct config_key *key, struct str text,
                                   struct config *config, struct err *reterr);

/* Does not copy texts. */
void config_value_copy(const struct config_key *key, struct config *to,
                       const struct config *from);

/* The output is canonical: reading it gives the same value. */
void config_value_write(const struct config_key *key, const struct config *config,
                        struct buf *out);
