/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HMAC-SHA256 signatures with OpenSSL.
 */
#include "io/client/signature.h"

#include <inttypes.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/must.h"

enum {
    MAC_LEN = 32,
    BASE64_MAX = (SIGNATURE_KEY_MAX + 2) / 3 * 4,
    NUMBER_MAX = 32, /* ".", an int64, "." */
};

static bool is_base64(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '+' || c == '/';
}

/* Groups of four digits, with one or two `=` at the end; the number of decoded bytes, or 0. */
static size_t base64_length(struct str text)
{
    size_t pad = 0;

    if (text.len == 0 || text.len % 4 != 0 || text.len > BASE64_MAX)
        return 0;
    while (pad < 2 && text.ptr[text.len - 1 - pad] == '=')
        pad++;
    for (size_t i = 0; i < text.len - pad; i++)
        if (!is_base64(text.ptr[i]))
            return 0;
    return text.len / 4 * 3 - pad;
}

enum rc signature_key_parse(struct str text, struct signature_key *ret, struct err *reterr)
{
    unsigned char bytes[BASE64_MAX / 4 * 3];
    struct str digits;
    size_t len;

    if (!str_starts(text, STR("whsec_")))
        return err_set(reterr, RC_INVALID, -1, 0, "a signing key begins with `whsec_`");
    digits = str_from(text, strlen("whsec_"));
    len = base64_length(digits);
    if (len < SIGNATURE_KEY_MIN || len > SIGNATURE_KEY_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "a signing key is `whsec_` and the base64 of %d to %d bytes",
                       SIGNATURE_KEY_MIN, SIGNATURE_KEY_MAX);
    must(EVP_DecodeBlock(bytes, (const unsigned char *)digits.ptr, (int)digits.len) > 0);
    memset(ret, 0, sizeof *ret);
    memcpy(ret->bytes, bytes, len);
    ret->len = len;
    OPENSSL_cleanse(bytes, sizeof bytes);
    return RC_OK;
}

static void add_text(EVP_MAC_CTX *mac, struct str s)
{
    must(s.len == 0 || EVP_MAC_update(mac, (const unsigned char *)s.ptr, s.len) == 1);
}

static void sign_message(EVP_MAC_CTX *mac, const struct signature_key *key,
                         struct signature_message message, struct str body, struct buf *out)
{
    char sha256[] = "SHA256", number[NUMBER_MAX], base64[MAC_LEN * 2];
    struct buf between = BUF(number);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha256, 0),
        OSSL_PARAM_construct_end(),
    };
    unsigned char bytes[MAC_LEN];
    size_t len = 0;

    must(key->len >= SIGNATURE_KEY_MIN && key->len <= SIGNATURE_KEY_MAX);
    buf_printf(&between, ".%" PRId64 ".", message.seconds);
    must(EVP_MAC_init(mac, key->bytes, key->len, params) == 1);
    add_text(mac, message.id);
    add_text(mac, buf_as_str(&between));
    add_text(mac, body);
    must(EVP_MAC_final(mac, bytes, &len, sizeof bytes) == 1 && len == sizeof bytes);
    must(EVP_EncodeBlock((unsigned char *)base64, bytes, MAC_LEN) == SIGNATURE_ONE_LEN - 3);
    buf_text(out, "v1,");
    buf_text(out, base64);
}

void signature_make(const struct signature_key *keys, int count,
                    struct signature_message message, struct str body, struct buf *out)
{
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *mac = EVP_MAC_CTX_new(hmac);

    must(mac != NULL);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            buf_char(out, ' ');
        sign_message(mac, &keys[i], message, body, out);
    }
    EVP_MAC_CTX_free(mac);
    EVP_MAC_free(hmac);
}
