/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64 with the test vectors of RFC 4648, and invalid input.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "wire/base64.h"

/* RFC 4648, section 10. */
static const struct {
    const char *plain, *text;
} vectors[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
};

static void the_vectors_of_the_standard_are_written_and_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        char text[32] = "", plain[32] = "";
        struct buf out = BUF(text), back = BUF(plain);
        struct str unpadded = str_of(vectors[i].text);
        struct err err;

        base64_add(str_of(vectors[i].plain), &out);
        assert_string_equal(text, vectors[i].text);
        assert_int_equal(base64_read(str_of(vectors[i].text), &back, &err), RC_OK);
        assert_string_equal(plain, vectors[i].plain);
        while (unpadded.len > 0 && unpadded.ptr[unpadded.len - 1] == '=')
            unpadded.len--;
        back = BUF(plain);
        assert_int_equal(base64_read(unpadded, &back, &err), RC_OK);
        assert_true(str_eq(buf_as_str(&back), str_of(vectors[i].plain)));
    }
}

static void letters_have_their_bits(void **state)
{
    static const char bytes[] = "\x00\x10\x83\xfb\xff\xbf";
    char text[16] = "", back_text[16];
    struct buf out = BUF(text), back = BUF(back_text);
    struct err err;

    (void)state;
    base64_add((struct str){bytes, 6}, &out);
    assert_string_equal(text, "ABCD+/+/");
    assert_int_equal(base64_read(str_of(text), &back, &err), RC_OK);
    assert_memory_equal(back.ptr, bytes, 6);
}

static void what_is_not_base64_is_refused(void **state)
{
    static const char *const wrong[] = {
        "Z",     "Zg=",  "Zg===", "Zm8==", "=",    "====",  "Zm9*",
        "Zm9v=", "Zh==", "Zm9=",  "Zm 9",  "Z_9v", "Zm9v\n"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[32];
        struct buf out = BUF(text);
        struct err err;

        if (base64_read(str_of(wrong[i]), &out, &err) != RC_INVALID)
            fail_msg("%s was read", wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_standard_are_written_and_read),
        cmocka_unit_test(letters_have_their_bits),
        cmocka_unit_test(what_is_not_base64_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
