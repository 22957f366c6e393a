/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All tokens and sessions in memory, as read from the database at one time; and their text
 * forms: bf_<role>_<id>_<secret> is a token, <id>_<secret> a session.
 *
 * The secret is 256 random bits; the database stores only their HMAC-SHA-256 with the server's
 * key.  A slow hash is not needed, because the secret cannot be guessed: docs/decisions/0030.
 */
#pragma once

#include "api/call/context.h"
#include "base/buf.h"
#include "store/sessions.h"
#include "store/tokens.h"

enum {
    SECRET_BYTES = 32,
    SECRET_LETTERS = 52,   /* of 5 bits each                             */
    TOKEN_ID_LETTERS = 12, /* an id has 60 bits                          */
    TOKEN_TEXT_MAX = 96,   /* with the longest role and a final zero     */
    SESSION_TEXT_MAX = TOKEN_ID_LETTERS + 1 + SECRET_LETTERS + 1,
};
#define TOKEN_ID_MAX ((INT64_C(1) << 60) - 1)

/* Draws the id and the secret of a token or session: 316 unpredictable bits. */
void secret_draw(const struct api_context *context, int64_t *ret_id, uint8_t ret[SECRET_BYTES]);

void token_id_print(int64_t id, struct buf *out);
bool token_id_parse(struct str text, int64_t *ret);

/* The complete text, which is shown only once. */
void token_print(enum role role, int64_t id, const uint8_t secret[SECRET_BYTES],
                 struct buf *out);

void session_print(int64_t id, const uint8_t secret[SECRET_BYTES], struct buf *out);

struct keyring; /* opaque */

/* `key` is the server's key; `rows` come from tokens_list().  The texts are copied. */
struct keyring *keyring_new(struct str key, const struct db_result *rows);
/* Adds the sessions, once: rows of sessions_list(). */
void keyring_add_sessions(struct keyring *keyring, const struct db_result *rows);
struct keyring *keyring_free(struct keyring *keyring); /* accepts NULL, returns NULL */

int keyring_count(const struct keyring *keyring);
const struct token *keyring_at(const struct keyring *keyring, int i);

void keyring_hash(const struct keyring *keyring, const uint8_t secret[SECRET_BYTES],
                  uint8_t ret[SHA256_BYTES]);

/*
 * Finds a token by its text (id, secret and role); NULL if it is unknown.  Takes the same time
 * for a wrong secret as for an unknown id.  The token may have expired.
 */
const struct token *keyring_find(const struct keyring *keyring, struct str text);

/* Finds a token by its id; NULL if it is unknown. */
const struct token *keyring_get(const struct keyring *keyring, int64_t id);

/* Likewise for sessions.  The session and its token may have expired. */
const struct session *keyring_find_session(const struct keyring *keyring, struct str text);
const struct session *keyring_get_session(const struct keyring *keyring, int64_t id);

/* Copies later times of last use from the keyring before this one. */
void keyring_inherit(struct keyring *keyring, const struct keyring *before);

/* Sets the time of last use, in memory only; initially it is that of the database row. */
void keyring_use(struct keyring *keyring, const struct token *token, instant now);
