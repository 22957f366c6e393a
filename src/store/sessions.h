/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table sessions: sessions of browsers.  A session has the rights of the token that began it,
 * and ends with it.
 *
 * Only the hash of a secret is stored.  Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "base/sha256.h"
#include "db/db.h"

enum {
    SESSIONS_MAX = 5000,    /* of all tokens together: every node holds them in memory */
    SESSIONS_PER_TOKEN = 50 /* the oldest ones end when there are more                */
};
#define SESSION_AGE (12 * SPAN_H)

struct session {
    int64_t id;
    int64_t token; /* id of the token */
    uint8_t hash[SHA256_BYTES];
    instant created_at, expires_at;
};

/*
 * First deletes sessions that have expired, and the oldest ones of the token.  changed is 0 if
 * the token does not exist, the id is taken, or SESSIONS_MAX is reached.
 */
void sessions_insert(struct db *db, const struct session *session, struct db_result *ret);
/* changed is 0 if it does not exist. */
void sessions_delete(struct db *db, int64_t id, struct db_result *ret);
/* Deletes the sessions of a token that does not exist any more. */
void sessions_delete_of(struct db *db, int64_t token);
/* By id; those that have not expired. */
void sessions_list(struct db *db, instant now, struct db_result *ret);
void sessions_read(const struct db_result *result, int row, struct session *ret);
