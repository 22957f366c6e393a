/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of all keys: name, type, range, default and help of each.
 */
#pragma once

#include <stddef.h>

#include "server/config/config.h"

enum config_type {
    CONFIG_TYPE_TEXT,      /* struct str of min to max bytes                */
    CONFIG_TYPE_PATH,      /* struct str                                    */
    CONFIG_TYPE_CHOICE,    /* int, into `choices`                           */
    CONFIG_TYPE_BOOL,      /* bool                                          */
    CONFIG_TYPE_INT,       /* int, from min to max                          */
    CONFIG_TYPE_SPAN,      /* span, from min to max                         */
    CONFIG_TYPE_ADDRESSES, /* struct config_addresses                       */
    CONFIG_TYPE_TEXTS,     /* struct config_texts, each of min to max bytes */
};

struct config_key {
    const char *name;
    enum config_type type;
    size_t at;            /* offset of the value in struct config                */
    const char *fallback; /* default as in a file; computed for db and state_dir */
    int64_t min, max;
    const char *const *choices;                            /* then NULL                  */
    enum rc (*check)(struct str text, struct err *reterr); /* checks a text; may be NULL */
    bool needs_restart;                                    /* a reload cannot change it  */
    const char *help;                                      /* lines for `belfry help`    */
};

/* Indexed by enum config_id. */
extern const struct config_key config_keys[CONFIG_KEYS];

/* Returns the key, or -1.  - and _ are equal, because flags use -. */
int config_key_find(struct str name);

/* Returns the key with the most similar name, or -1. */
int config_key_nearest(struct str name);

/*
 * Finds the next variable BELFRY_… that is not a key.  This is not an error, because another
 * program may use the name.  Begin with *at = 0; returns false at the end.
 */
bool config_unknown_env(const char *const *env, int *at, struct err *ret_note);
