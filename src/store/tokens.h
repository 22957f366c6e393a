/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table tokens: who may use the server, and the key that their secrets are hashed with.
 *
 * Of a secret only its hash is here.  Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "base/sha256.h"
#include "db/db.h"

enum {
    TOKENS_MAX = 10000,   /* of all namespaces: every node holds them in memory     */
    TOKENS_KEY_BYTES = 32 /* of the server's key                                    */
};

enum role {
    ROLE_NONE = 0,
    ROLE_VIEWER = 1,
    ROLE_OPERATOR = 2,
    ROLE_EDITOR = 3,
    ROLE_ADMIN = 4,
    ROLE_WORKER = 5,
    ROLE_COUNT
};

struct token {
    int64_t id;
    int64_t namespace;         /* 0: all of them                                        */
    struct str namespace_name; /* when read; empty: all                          */
    enum role role;
    struct str name; /* that people gave it                                       */
    uint8_t hash[SHA256_BYTES];
    instant created_at;
    struct str created_by;
    instant expires_at; /* INSTANT_NEVER: for good */
    instant used_at;    /* about; INSTANT_NONE: never */
};

/* changed is 0 when the id is taken or there are TOKENS_MAX. */
void tokens_insert(struct db *db, const struct token *token, struct db_result *ret);
/*
 * Of that namespace only; 0: of any.  changed is 0 when there is none, and for the last admin
 * of all namespaces that does not expire, as long as there are other tokens.
 */
void tokens_delete(struct db *db, int64_t id, int64_t namespace, struct db_result *ret);
void tokens_use(struct db *db, int64_t id, instant at);
/* By id, those after `after`; of a namespace, or of any when it is 0. */
void tokens_list(struct db *db, int64_t namespace, int64_t after, int limit,
                 struct db_result *ret);
void tokens_read(const struct db_result *result, int row, struct token *ret);

/* The first one that was proposed counts, for all nodes and for good. */
void tokens_key_propose(struct db *db, struct str key);
void tokens_key_find(struct db *db, struct db_result *ret); /* (value) */
