/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of calls by Standard Webhooks 1.0.0, so that a receiver can verify the sender.
 *
 * Only symmetric ones, `v1`.  With two keys a message carries two signatures, so that receivers
 * can switch keys at any time.  Reads no clock.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    SIGNATURE_KEY_MIN = 24, /* bytes, both from the specification */
    SIGNATURE_KEY_MAX = 64,
    SIGNATURE_KEYS_MAX = 2,     /* the current and the next one */
    SIGNATURE_ONE_LEN = 3 + 44, /* "v1," and 32 bytes in base64 */
    SIGNATURE_TEXT_MAX = SIGNATURE_KEYS_MAX * (SIGNATURE_ONE_LEN + 1),
};

struct signature_key {
    uint8_t bytes[SIGNATURE_KEY_MAX];
    size_t len;
};

/* What is signed together with the body; `id` must not contain `.`. */
struct signature_message {
    struct str id;
    int64_t seconds; /* since 1970, when this attempt is sent */
};

/* Parses "whsec_" and base64.  The error never repeats the text: it is a secret. */
MUST_USE enum rc signature_key_parse(struct str text, struct signature_key *ret,
                                     struct err *reterr);

/* Appends "v1,..." for each key, separated by blanks: the value of webhook-signature. */
void signature_make(const struct signature_key *keys, int count,
                    struct signature_message message, struct str body, struct buf *out);
