/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table tokens: API tokens and the key of their hashes.
 *
 * Only the hash of a secret is stored.  Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "base/sha256.h"
#include "db/db.h"

enum {
    TOKENS_MAX = 10000,   /* in all namespaces together: every node holds them in memory */
    TOKENS_KEY_BYTES = 32 /* of the server's key */
};

enum role {
    ROLE_NONE = 0,
    ROLE_VIEWER = 1,
    ROLE_OPERATOR = 2,
    ROLE_EDITOR = 3,
    ROLE_ADMIN = 4,
    ROLE_WORKER = 5,
    /* Two roles of one token; an admin needs no other. */
    ROLE_VIEWER_WORKER = 6,
    ROLE_OPERATOR_WORKER = 7,
    ROLE_EDITOR_WORKER = 8,
    ROLE_COUNT
};

struct token {
    int64_t id;
    int64_t namespace;         /* 0: all namespaces */
    struct str namespace_name; /* set by tokens_read(); empty: all */
    enum role role;
    struct str name; /* for display */
    uint8_t hash[SHA256_BYTES];
    instant created_at;
    struct str created_by;
    instant expires_at; /* INSTANT_NEVER: no expiry */
    instant used_at;    /* approximate; INSTANT_NONE: never */
};

/* changed is 0 if the id is taken, see tokens_find(), or TOKENS_MAX is reached. */
void tokens_insert(struct db *db, const struct token *token, struct db_result *ret);
void tokens_find(struct db *db, int64_t id, struct db_result *ret); /* (id) */
/*
 * Only within `namespace`; 0: any.  changed is 0 if the token does not exist, or if it is the
 * last admin token for all namespaces that does not expire and other tokens exist.
 */
void tokens_delete(struct db *db, int64_t id, int64_t namespace, struct db_result *ret);
void tokens_use(struct db *db, int64_t id, instant at);
/* By id, those after `after`; of one namespace, or of all if it is 0. */
void tokens_list(struct db *db, int64_t namespace, int64_t after, int limit,
                 struct db_result *ret);
void tokens_read(const struct db_result *result, int row, struct token *ret);

/* Stores the key unless one exists: the first proposal wins, for all nodes and permanently. */
void tokens_key_propose(struct db *db, struct str key);
void tokens_key_find(struct db *db, struct db_result *ret); /* (value) */
