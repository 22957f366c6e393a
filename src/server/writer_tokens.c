/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer reads the tokens and sessions between turns and sends them to the io thread.
 *
 * It reads them after each change on this node and, if other nodes may exist, twice per second,
 * so that every node rejects a revoked token within a second.
 */
#include <sys/random.h>

#include "api/access/keyring.h"
#include "base/hash.h"
#include "base/must.h"
#include "io/clock.h"
#include "server/writer_parts.h"

/* The server key: the first node creates it once. */
static enum rc read_key(struct writer *w, struct db_result *ret, struct err *reterr)
{
    char proposal[TOKENS_KEY_BYTES];
    enum rc rc;

    tokens_key_find(w->db, ret);
    rc = db_flush(w->db, w->arena, reterr);
    if (rc != RC_OK || ret->rows == 1)
        return rc;
    must(getrandom(proposal, sizeof proposal, 0) == (ssize_t)sizeof proposal);
    tokens_key_propose(w->db, (struct str){proposal, sizeof proposal});
    tokens_key_find(w->db, ret);
    return db_flush(w->db, w->arena, reterr);
}

/* Excludes the last uses, which the io thread knows better. */
static int64_t fingerprint_of(const struct db_result *rows, const struct db_result *sessions)
{
    struct digest digest = {0};

    digest_int(&digest, sessions->rows);
    for (int i = 0; i < sessions->rows; i++) {
        struct session session;

        sessions_read(sessions, i, &session);
        digest_int(&digest, session.id);
        digest_add(&digest, session.hash, sizeof session.hash);
    }

    digest_int(&digest, rows->rows);
    for (int i = 0; i < rows->rows; i++) {
        struct token t;

        tokens_read(rows, i, &t);
        digest_int(&digest, t.id);
        digest_int(&digest, t.namespace);
        digest_int(&digest, t.role);
        digest_int(&digest, t.expires_at);
        digest_add(&digest, t.hash, sizeof t.hash);
    }
    return (int64_t)digest.sum;
}

static void return_token_waiters(struct writer *w)
{
    while (w->token_waiters) {
        struct ticket *t = w->token_waiters;

        w->token_waiters = t->next;
        writer_return(w, t);
    }
}

enum rc writer_read_tokens(struct writer *w, struct err *reterr)
{
    struct db_result key = {0}, rows = {0}, sessions = {0};
    int64_t fingerprint;
    enum rc rc;

    arena_reset(w->arena);
    rc = read_key(w, &key, reterr);
    if (rc == RC_OK) {
        tokens_list(w->db, 0, 0, TOKENS_MAX, &rows);
        sessions_list(w->db, clock_now(), &sessions);
        rc = db_flush(w->db, w->arena, reterr);
    }
    if (rc != RC_OK)
        return rc;
    fingerprint = fingerprint_of(&rows, &sessions);
    if (!w->has_tokens || fingerprint != w->tokens_seen) {
        struct keyring *keys = keyring_new(db_blob_at(&key, 0, 0), &rows);

        keyring_add_sessions(keys, &sessions);
        writer_send(w, &(struct io_msg){.kind = IO_MSG_KEYS, .keys = keys});
    }
    w->has_tokens = true;
    w->tokens_seen = fingerprint;
    w->wants_tokens = false;
    w->tokens_at_us = clock_boot_us() + TOKENS_EVERY;
    return_token_waiters(w);
    return RC_OK;
}

/*
 * A client that created or revoked a token, began or ended a session, or changed a namespace
 * gets its answer only after the io thread has the change.  Namespaces are read before tokens.
 */
bool writer_delay_for_tokens(struct writer *w, struct ticket *t)
{
    enum command_kind kind = t->call.command_count > 0 ? t->call.commands[0].kind
                                                       : COMMAND_COUNT;

    if (kind != COMMAND_TOKEN && kind != COMMAND_TOKEN_DELETE && kind != COMMAND_SESSION &&
        kind != COMMAND_SESSION_END && kind != COMMAND_NAMESPACE)
        return false;
    w->wants_tokens = true;
    t->next = w->token_waiters;
    w->token_waiters = t;
    return true;
}
