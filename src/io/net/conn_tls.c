/* SPDX-License-Identifier: Apache-2.0 */
/* A connection with TLS: the same bytes in and out, encrypted. */
#include "base/must.h"
#include "io/net/listener_parts.h"

enum {
    ENCRYPT_AT_ONCE = 64 * 1024, /* plain bytes: limits the encrypted copy in memory */
    /* per connection: a change of keys takes 30 bytes, after gigabytes of data */
    CHATTER_MAX = 16 * 1024,
    /* head and body up to this size are joined: cheaper than a second record */
    ENCRYPT_JOINED = 4096,
};

static void on_encrypted(void *arg, struct str encrypted)
{
    struct conn *c = arg;

    io_bytes_add(&c->listener->encrypted, encrypted);
}

void conn_start_tls(struct conn *c)
{
    c->tls = tls_new(c->listener->tls, on_encrypted, c);
    conn_enter(c, CONN_SHAKE);
}

/* The listener has one buffer for all: the function that fills it also empties it. */
static void send_encrypted(struct conn *c)
{
    struct io_bytes *encrypted = &c->listener->encrypted;

    if (encrypted->len > 0)
        conn_write_raw(c, (struct str){encrypted->ptr, encrypted->len}, (struct str){0});
    encrypted->len = 0;
}

/* Reports the mistake to a client that used http instead of https. */
static void refuse_plain(struct conn *c)
{
    c->tls = tls_free(c->tls);
    conn_refuse(c, 400, "this address uses TLS; use https:// instead of http://");
}

/*
 * A client may request new keys, but one that requests nothing else would make the server write
 * forever.
 */
static bool has_too_much_chatter(struct conn *c)
{
    if (c->phase != CONN_SHAKE)
        c->chatter += c->listener->encrypted.len;
    return c->chatter > CHATTER_MAX;
}

void conn_decrypt(struct conn *c, struct str encrypted)
{
    struct buf plain = BUF(c->listener->plain);
    enum tls_state state;

    if (c->phase == CONN_LINGER)
        return;
    if (!c->has_received && encrypted.ptr[0] != TLS_RECORD) {
        refuse_plain(c);
        return;
    }
    c->has_received = true;
    state = tls_read(c->tls, encrypted, &plain);
    if (has_too_much_chatter(c))
        state = TLS_FAILED;
    send_encrypted(c);
    if (c->phase == CONN_SHAKE && (state == TLS_OPEN || state == TLS_ENDED)) {
        c->listener->counts.handshakes++;
        conn_enter(c, CONN_IDLE);
    }
    if (plain.len > 0)
        conn_receive(c, buf_as_str(&plain));
    if (state == TLS_ENDED)
        conn_receive_end(c);
    if (state != TLS_FAILED)
        return;
    c->listener->counts.failed_handshakes += c->phase == CONN_SHAKE;
    conn_drop(c);
}

static void encrypt(struct conn *c, struct str plain)
{
    while (plain.len > 0 && !c->is_broken) {
        struct str part = {plain.ptr,
                           plain.len < ENCRYPT_AT_ONCE ? plain.len : ENCRYPT_AT_ONCE};

        if (!tls_write(c->tls, part))
            conn_break(c);
        plain = str_from(plain, part.len);
        if (plain.len > 0)
            send_encrypted(c);
    }
}

void conn_encrypt(struct conn *c, struct str head, struct str body)
{
    char text[ENCRYPT_JOINED + 1];
    struct buf both = BUF(text);

    if (head.len + body.len <= ENCRYPT_JOINED) {
        buf_str(&both, head);
        buf_str(&both, body);
        head = buf_as_str(&both);
        body = (struct str){0};
    }
    encrypt(c, head);
    encrypt(c, body);
    send_encrypted(c);
}

void conn_end_tls(struct conn *c)
{
    tls_end(c->tls);
    send_encrypted(c);
}
