/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses and prints tokens and sessions, and finds them in memory by id.
 */
#include "api/access/keyring.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "api/access/roles.h"
#include "base/arena.h"
#include "base/base32.h"
#include "base/must.h"

enum { LETTER_BITS = BASE32_BITS, KEYRING_BYTES_MAX = 64 << 20 };

struct keyring {
    struct arena *arena; /* contains this struct */
    struct str key;
    struct token *tokens; /* by id */
    int count;
    struct session *sessions; /* by id */
    int session_count;
};

void secret_draw(const struct api_context *context, int64_t *ret_id, uint8_t ret[SECRET_BYTES])
{
    *ret_id = 1 + (int64_t)(context->random(context->arg) % TOKEN_ID_MAX);
    for (size_t i = 0; i < SECRET_BYTES; i += sizeof(uint64_t)) {
        uint64_t random = context->random(context->arg);

        memcpy(ret + i, &random, sizeof random);
    }
}

/* ---- text forms ---- */

void token_id_print(int64_t id, struct buf *out)
{
    char text[TOKEN_ID_LETTERS];

    base32_put((uint64_t)id, TOKEN_ID_LETTERS, text);
    buf_add(out, text, sizeof text);
}

bool token_id_parse(struct str text, int64_t *ret)
{
    int64_t id = 0;

    if (text.len != TOKEN_ID_LETTERS)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        int letter = base32_value(text.ptr[i]);

        if (letter < 0)
            return false;
        id = id << LETTER_BITS | letter;
    }
    *ret = id;
    return true;
}

/* Highest bits first; the last letter has one bit. */
static void print_secret(const uint8_t secret[SECRET_BYTES], struct buf *out)
{
    unsigned bits = 0;
    int count = 0;

    for (int i = 0; i < SECRET_BYTES; i++) {
        bits = (bits << 8 | secret[i]) & 0xfff;
        for (count += 8; count >= LETTER_BITS; count -= LETTER_BITS)
            buf_char(out, base32_letter(bits >> (count - LETTER_BITS)));
    }
    buf_char(out, base32_letter(bits << (LETTER_BITS - count)));
}

static bool parse_secret(struct str text, uint8_t ret[SECRET_BYTES])
{
    unsigned bits = 0;
    int count = 0, n = 0;

    if (text.len != SECRET_LETTERS)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        int letter = base32_value(text.ptr[i]);

        if (letter < 0)
            return false;
        bits = (bits << LETTER_BITS | (unsigned)letter) & 0xfff;
        count += LETTER_BITS;
        if (count >= 8 && n < SECRET_BYTES) {
            count -= 8;
            ret[n++] = (uint8_t)(bits >> count);
        }
    }
    return (bits & ((1u << count) - 1)) == 0; /* a secret has exactly one text form */
}

void token_print(enum role role, int64_t id, const uint8_t secret[SECRET_BYTES],
                 struct buf *out)
{
    buf_printf(out, "bf_%s_", role_text(role));
    token_id_print(id, out);
    buf_char(out, '_');
    print_secret(secret, out);
}

void session_print(int64_t id, const uint8_t secret[SECRET_BYTES], struct buf *out)
{
    token_id_print(id, out);
    buf_char(out, '_');
    print_secret(secret, out);
}

struct parts {
    enum role role;
    int64_t id;
    uint8_t secret[SECRET_BYTES];
};

static bool parse_id_and_secret(struct str text, struct parts *ret)
{
    struct str id, secret;

    return str_cut(text, '_', &id, &secret) && token_id_parse(id, &ret->id) &&
           parse_secret(secret, ret->secret);
}

static bool parse_token(struct str text, struct parts *ret)
{
    struct str head, role, rest;
    struct err ignored;

    return text.len < TOKEN_TEXT_MAX && str_cut(text, '_', &head, &rest) &&
           str_eq(head, STR("bf")) && str_cut(rest, '_', &role, &rest) &&
           role_parse(role, &ret->role, &ignored) == RC_OK && parse_id_and_secret(rest, ret);
}

/* ---- the keyring ---- */

struct keyring *keyring_new(struct str key, const struct db_result *rows)
{
    struct arena *arena = arena_new(KEYRING_BYTES_MAX);
    struct keyring *ring = arena_take(arena, sizeof *ring);

    *ring = (struct keyring){
        .arena = arena,
        .key = arena_str(arena, key),
        .tokens = arena_array(arena, (size_t)rows->rows, sizeof *ring->tokens),
        .count = rows->rows,
    };
    for (int i = 0; i < rows->rows; i++) {
        struct token *t = &ring->tokens[i];

        tokens_read(rows, i, t);
        t->namespace_name = arena_str(arena, t->namespace_name);
        t->name = arena_str(arena, t->name);
        t->created_by = arena_str(arena, t->created_by);
    }
    return ring;
}

void keyring_add_sessions(struct keyring *ring, const struct db_result *rows)
{
    must(!ring->sessions);
    ring->sessions = arena_array(ring->arena, (size_t)rows->rows, sizeof *ring->sessions);
    ring->session_count = rows->rows;
    for (int i = 0; i < rows->rows; i++)
        sessions_read(rows, i, &ring->sessions[i]);
}

struct keyring *keyring_free(struct keyring *ring)
{
    if (ring)
        arena_free(ring->arena);
    return NULL;
}

int keyring_count(const struct keyring *ring)
{
    return ring->count;
}

const struct token *keyring_at(const struct keyring *ring, int i)
{
    must(i >= 0 && i < ring->count);
    return &ring->tokens[i];
}

void keyring_hash(const struct keyring *ring, const uint8_t secret[SECRET_BYTES],
                  uint8_t ret[SHA256_BYTES])
{
    sha256_hmac(ring->key, (struct str){(const char *)secret, SECRET_BYTES}, ret);
}

/* The element with this id, which is its first member and orders the list; NULL: none. */
static const void *find_by_id(const void *list, int count, size_t size, int64_t id)
{
    int low = 0, high = count;

    while (low < high) {
        int middle = low + (high - low) / 2;
        const char *element = (const char *)list + (size_t)middle * size;
        int64_t found;

        memcpy(&found, element, sizeof found);
        if (found == id)
            return element;
        if (found < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
static_assert(offsetof(struct token, id) == 0 && offsetof(struct session, id) == 0,
              "find_by_id()");

const struct token *keyring_get(const struct keyring *ring, int64_t id)
{
    return find_by_id(ring->tokens, ring->count, sizeof *ring->tokens, id);
}

const struct token *keyring_find(const struct keyring *ring, struct str text)
{
    static const struct token none;
    const struct token *t;
    struct parts parts;
    uint8_t hash[SHA256_BYTES];
    bool is_equal;

    if (!parse_token(text, &parts))
        return NULL;
    t = keyring_get(ring, parts.id);
    keyring_hash(ring, parts.secret, hash);
    is_equal = sha256_eq(hash, t ? t->hash : none.hash);
    return t && is_equal && t->role == parts.role ? t : NULL;
}

const struct session *keyring_get_session(const struct keyring *ring, int64_t id)
{
    return find_by_id(ring->sessions, ring->session_count, sizeof *ring->sessions, id);
}

const struct session *keyring_find_session(const struct keyring *ring, struct str text)
{
    static const struct session none;
    const struct session *session;
    struct parts parts;
    uint8_t hash[SHA256_BYTES];
    bool is_equal;

    if (!parse_id_and_secret(text, &parts))
        return NULL;
    session = keyring_get_session(ring, parts.id);
    keyring_hash(ring, parts.secret, hash);
    is_equal = sha256_eq(hash, session ? session->hash : none.hash);
    return session && is_equal ? session : NULL;
}

void keyring_use(struct keyring *ring, const struct token *token, instant now)
{
    ring->tokens[token - ring->tokens].used_at = now;
}

void keyring_inherit(struct keyring *ring, const struct keyring *before)
{
    for (int i = 0; i < ring->count; i++) {
        const struct token *t = keyring_get(before, ring->tokens[i].id);

        if (t && t->used_at > ring->tokens[i].used_at)
            ring->tokens[i].used_at = t->used_at;
    }
}
