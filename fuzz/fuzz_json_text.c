/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as JSON that is scanned without building values, and as a string to write.
 *
 * For any bytes, no result points outside of them; a string that is written reads back the
 * same.  fuzz_json_diff.c compares the members of valid objects.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/must.h"
#include "wire/json/json.h"
#include "wire/json/json_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static bool is_within(struct str part, struct str all)
{
    return part.ptr >= all.ptr && part.ptr + part.len <= all.ptr + all.len;
}

static void walk(struct str text)
{
    struct str rest = text, key, value;

    while (json_next_member(&rest, &key, &value)) {
        must(is_within(key, text) && is_within(value, text) && is_within(rest, text));
        must(value.len > 0 && rest.ptr == value.ptr + value.len);
    }
}

static void check_string(struct str text)
{
    struct buf out = {.cap = json_str_room(text) + 1};
    json_t *value;

    if (!str_is_utf8(text))
        return;
    out.ptr = malloc(out.cap);
    must(out.ptr != NULL);
    json_write_str(&out, text);
    must(!out.cut);
    value = json_loadb(out.ptr, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    must(value &&
         str_eq(text, (struct str){json_string_value(value), json_string_length(value)}));
    json_decref(value);
    free(out.ptr);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};

    walk(text);
    check_string(text);
    return 0;
}
