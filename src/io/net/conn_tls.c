/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection under TLS: the same bytes in and out, sealed.
 */
#include "base/must.h"
#include "io/net/listener_parts.h"

enum {
    SEAL_AT_ONCE = 64 * 1024, /* plain bytes: so much is held twice, and no more             */
    CHATTER_MAX = 16 * 1024,  /* for a lifetime: new keys take 30 bytes, once in gigabytes   */
    SEAL_JOINED = 4096,       /* a record has its price, which more bytes than that outweigh */
};

static void on_sealed(void *arg, struct str sealed)
{
    struct conn *c = arg;

    conn_bytes_add(&c->listener->sealed, sealed);
}

void conn_cover(struct conn *c)
{
    c->tls = tls_new(c->listener->tls, on_sealed, c);
    conn_enter(c, CONN_SHAKE);
}

/* The listener's one buffer is everybody's: whoever has filled it empties it. */
static void send_sealed(struct conn *c)
{
    struct conn_bytes *sealed = &c->listener->sealed;

    if (sealed->len > 0)
        conn_put(c, (struct str){sealed->ptr, sealed->len}, (struct str){0});
    sealed->len = 0;
}

/* Whoever forgot the s of https reads why. */
static void uncover(struct conn *c)
{
    c->tls = tls_free(c->tls);
    conn_refuse(c, 400, "This address speaks TLS: use https:// instead of http://.");
}

/* New keys are given to whoever asks: who asks for nothing else would have us write forever. */
static bool is_chatting(struct conn *c)
{
    if (c->phase != CONN_SHAKE)
        c->chatter += c->listener->sealed.len;
    return c->chatter > CHATTER_MAX;
}

void conn_unseal(struct conn *c, struct str sealed)
{
    struct buf plain = BUF(c->listener->plain);
    enum tls_state state;

    if (c->phase == CONN_LINGER)
        return;
    if (!c->has_spoken && sealed.ptr[0] != TLS_RECORD) {
        uncover(c);
        return;
    }
    c->has_spoken = true;
    state = tls_read(c->tls, sealed, &plain);
    if (is_chatting(c))
        state = TLS_FAILED;
    send_sealed(c);
    if (c->phase == CONN_SHAKE && (state == TLS_OPEN || state == TLS_ENDED)) {
        c->listener->counts.shaken++;
        conn_enter(c, CONN_IDLE);
    }
    if (plain.len > 0)
        conn_take(c, buf_as_str(&plain));
    if (state == TLS_ENDED)
        conn_take_end(c);
    if (state != TLS_FAILED)
        return;
    c->listener->counts.unshaken += c->phase == CONN_SHAKE;
    conn_drop(c);
}

static void seal(struct conn *c, struct str plain)
{
    while (plain.len > 0 && !c->is_broken) {
        struct str part = {plain.ptr, plain.len < SEAL_AT_ONCE ? plain.len : SEAL_AT_ONCE};

        if (!tls_write(c->tls, part))
            conn_break(c);
        plain = str_from(plain, part.len);
        if (plain.len > 0)
            send_sealed(c);
    }
}

void conn_seal(struct conn *c, struct str head, struct str body)
{
    char text[SEAL_JOINED + 1];
    struct buf both = BUF(text);

    if (head.len + body.len <= SEAL_JOINED) {
        buf_str(&both, head);
        buf_str(&both, body);
        head = buf_as_str(&both);
        body = (struct str){0};
    }
    seal(c, head);
    seal(c, body);
    send_sealed(c);
}

void conn_seal_end(struct conn *c)
{
    tls_end(c->tls);
    send_sealed(c);
}
