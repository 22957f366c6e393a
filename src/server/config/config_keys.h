/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of all keys: what each is called, may hold, is without being set, and is for.
 */
#pragma once

#include <stddef.h>

#include "server/config/config.h"

enum config_type {
    CONFIG_TYPE_TEXT,      /* struct str; least to most bytes                */
    CONFIG_TYPE_PATH,      /* struct str                                     */
    CONFIG_TYPE_CHOICE,    /* int, into `choices`                            */
    CONFIG_TYPE_BOOL,      /* bool                                           */
    CONFIG_TYPE_INT,       /* int, from least to most                        */
    CONFIG_TYPE_SPAN,      /* span, from least to most                       */
    CONFIG_TYPE_ADDRESSES, /* struct config_addresses                        */
    CONFIG_TYPE_TEXTS,     /* struct config_texts, each of least to most bytes */
};

struct config_key {
    const char *name;
    enum config_type type;
    size_t at;            /* of the value in struct config                        */
    const char *fallback; /* as in a file; of db and state_dir it is made         */
    int64_t least, most;
    const char *const *choices; /* up to NULL                                     */
    enum rc (*check)(struct str text, struct err *reterr); /* of a text; may be NULL */
    bool needs_restart;                                    /* a reload cannot change it */
    const char *help;                                      /* lines for `belfry help` */
};

/* Indexed by enum config_id. */
extern const struct config_key config_keys[CONFIG_KEYS];

/* The key of a name, or -1.  - and _ are the same, as flags are written with -. */
int config_key_find(struct str name);

/* The key that may have been meant, or -1. */
int config_key_nearest(struct str name);
