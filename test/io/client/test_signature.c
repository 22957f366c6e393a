/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first vector is from the reference libraries of Standard Webhooks; the second and third
 * were made with `openssl dgst -sha256 -mac HMAC`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/client/signature.h"

#define KEY_1 "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define KEY_2 "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

#define BYTES_66                                                                             \
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU" \
    "PD8ILPZI"

static struct signature_key key(const char *text)
{
    struct signature_key ret;
    struct err err;

    assert_int_equal(signature_key_parse(str_of(text), &ret, &err), RC_OK);
    return ret;
}

static const struct signature_message message = {{"msg_p5jXN8AQM9LWM0D4loKWxJek", 28},
                                                 1614265330};

static void the_published_vector_gives_its_signature(void **state)
{
    struct signature_key keys[] = {key(KEY_1)};
    char text[SIGNATURE_TEXT_MAX];
    struct buf out = BUF(text);

    (void)state;
    signature_make(keys, 1, message, STR("{\"test\": 2432232314}"), &out);
    assert_false(out.cut);
    assert_string_equal(text, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

static void two_keys_make_two_signatures_in_their_order(void **state)
{
    struct signature_key keys[] = {key(KEY_2), key(KEY_1)};
    char text[SIGNATURE_TEXT_MAX];
    struct buf out = BUF(text);

    (void)state;
    signature_make(keys, 2, message, STR("{\"test\": 2432232314}"), &out);
    assert_false(out.cut);
    assert_string_equal(text, "v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI= "
                              "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

static void an_empty_body_is_signed_too(void **state)
{
    struct signature_key keys[] = {key(KEY_2)};
    char text[SIGNATURE_TEXT_MAX];
    struct buf out = BUF(text);

    (void)state;
    signature_make(keys, 1, message, STR(""), &out);
    assert_string_equal(text, "v1,GsnVozukDiVmbnjDPsr6Y6lFW7x/ARAGr0VbaFdOnHY=");
}

static void keys_are_read_exactly(void **state)
{
    static const char *const bad[] = {
        "",
        "whsec_",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",       /* no prefix */
        "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", /* not that prefix */
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",  /* not a multiple of four */
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS=", /* 23 bytes */
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La-_Sw", /* another alphabet */
        "whsec_ MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", /* a blank */
        "whsec_MfKQ9r8GKYqrTwjUPD8I=PZIo2LaLaSw", /* padding in the middle */
        BYTES_66,
    };
    struct signature_key longest = key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU"
                                       "PD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8ILA==");
    struct signature_key first = key(KEY_1), ret;
    struct err err;

    (void)state;
    assert_int_equal(longest.len, 64);
    assert_int_equal(first.len, 24);
    assert_memory_equal(first.bytes,
                        "\x31\xf2\x90\xf6\xbf\x06\x29\x8a\xab\x4f\x08\xd4\x3c\x3f"
                        "\x08\x2c\xf6\x48\xa3\x62\xda\x2d\xa4\xb0",
                        24);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (signature_key_parse(str_of(bad[i]), &ret, &err) != RC_INVALID)
            fail_msg("`%s` was accepted", bad[i]);
        assert_null(strstr(err.text, "MfKQ"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_vector_gives_its_signature),
        cmocka_unit_test(two_keys_make_two_signatures_in_their_order),
        cmocka_unit_test(an_empty_body_is_signed_too),
        cmocka_unit_test(keys_are_read_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
