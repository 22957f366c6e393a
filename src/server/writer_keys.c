/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens, read by the writer between turns and handed to io.
 *
 * Here after every change of them; where there are other nodes also twice a second, so that a
 * token that was revoked anywhere is refused everywhere within a second.
 */
#include <string.h>
#include <sys/random.h>

#include "api/access/keyring.h"
#include "base/hash.h"
#include "base/must.h"
#include "io/clock.h"
#include "server/writer_parts.h"

/* The server's key: made once, by whichever node is first. */
static enum rc read_key(struct writer *w, struct db_result *ret, struct err *reterr)
{
    char chance[TOKENS_KEY_BYTES];
    enum rc rc;

    tokens_key_find(w->db, ret);
    rc = db_flush(w->db, w->arena, reterr);
    if (rc != RC_OK || ret->rows == 1)
        return rc;
    must(getrandom(chance, sizeof chance, 0) == (ssize_t)sizeof chance);
    tokens_key_propose(w->db, (struct str){chance, sizeof chance});
    tokens_key_find(w->db, ret);
    return db_flush(w->db, w->arena, reterr);
}

/* Of all but the last uses, which io knows better. */
static int64_t print_of(const struct db_result *rows)
{
    struct digest digest = {0};

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

static void release(struct writer *w)
{
    while (w->keyed) {
        struct ticket *t = w->keyed;

        w->keyed = t->next;
        writer_done(w, t);
    }
}

enum rc writer_keys(struct writer *w, struct err *reterr)
{
    struct db_result key = {0}, rows = {0};
    enum rc rc;

    arena_reset(w->arena);
    rc = read_key(w, &key, reterr);
    if (rc == RC_OK) {
        tokens_list(w->db, 0, 0, TOKENS_MAX, &rows);
        rc = db_flush(w->db, w->arena, reterr);
    }
    if (rc != RC_OK)
        return rc;
    if (!w->knows_keys || print_of(&rows) != w->keys_seen)
        writer_notice(w, &(struct io_msg){.kind = IO_MSG_KEYS,
                                          .keys = keyring_new(db_blob_at(&key, 0, 0), &rows)});
    w->knows_keys = true;
    w->keys_seen = print_of(&rows);
    w->looks_for_keys = false;
    w->keys_at_us = clock_boot_us() + KEYS_EVERY;
    release(w);
    return RC_OK;
}

/*
 * Whoever made or revoked a token, or set what a namespace may, hears of it once io knows it
 * too: namespaces are read before the tokens are.
 */
bool writer_keeps_for_keys(struct writer *w, struct ticket *t)
{
    enum command_kind kind = t->call.command_count > 0 ? t->call.commands[0].kind
                                                       : COMMAND_COUNT;

    if (kind != COMMAND_TOKEN && kind != COMMAND_TOKEN_DELETE && kind != COMMAND_NAMESPACE)
        return false;
    w->looks_for_keys = true;
    t->next = w->keyed;
    w->keyed = t;
    return true;
}
