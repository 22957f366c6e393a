/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens that there are, in memory, as one reading of the database found them; and what
 * a token looks like: bf_<role>_<id>_<secret>.
 *
 * The secret is 256 bits of chance; the database holds only their HMAC-SHA-256 with the key
 * of the server.  No slow hash: there is nothing to guess, see docs/decisions/0030.
 */
#pragma once

#include "base/buf.h"
#include "store/tokens.h"

enum {
    SECRET_BYTES = 32,
    SECRET_LETTERS = 52,   /* of 5 bits each                             */
    TOKEN_ID_LETTERS = 12, /* an id has 60 bits                          */
    TOKEN_TEXT_MAX = 96,   /* with the longest role and a zero           */
};
#define TOKEN_ID_MAX ((INT64_C(1) << 60) - 1)

void token_id_print(int64_t id, struct buf *out);
bool token_id_parse(struct str text, int64_t *ret);

/* The whole text, which is shown once. */
void token_print(enum role role, int64_t id, const uint8_t secret[SECRET_BYTES],
                 struct buf *out);

struct keyring; /* opaque */

/* `key` is the server's; `rows` are those of tokens_list().  The texts are copied. */
struct keyring *keyring_new(struct str key, const struct db_result *rows);
struct keyring *keyring_free(struct keyring *keyring); /* accepts NULL, returns NULL */

int keyring_count(const struct keyring *keyring);
const struct token *keyring_at(const struct keyring *keyring, int i);

void keyring_hash(const struct keyring *keyring, const uint8_t secret[SECRET_BYTES],
                  uint8_t ret[SHA256_BYTES]);

/*
 * The token of this text, by its id and its secret; NULL: there is none.  It takes as long
 * for a wrong secret as for an id that is not there.  It may have expired.
 */
const struct token *keyring_find(const struct keyring *keyring, struct str text);

/* By its id; NULL: there is none. */
const struct token *keyring_get(const struct keyring *keyring, int64_t id);

/* Last uses that the one before knew of. */
void keyring_inherit(struct keyring *keyring, const struct keyring *before);

/* When it was last used, for as long as the keyring is; begins with what the rows say. */
void keyring_use(struct keyring *keyring, const struct token *token, instant now);
