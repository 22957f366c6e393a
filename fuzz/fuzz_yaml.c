/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as YAML: every document that is read is valid JSON, its position is within the text,
 * and when printed it reads back the same.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/must.h"
#include "wire/yaml/yaml.h"

enum { INPUT_MAX = 4096, PRINTED_MAX = 64 * INPUT_MAX }; /* room for 31 levels of indentation */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_print(const json_t *value)
{
    static char text[PRINTED_MAX];
    struct buf out = BUF(text);
    struct arena *arena = arena_new(1 << 20);
    struct yaml_reader *reader = NULL;
    struct yaml_document again = {.value = NULL};
    struct err err;
    bool any = false;

    yaml_print(value, &out);
    if (out.cut)
        return;
    must(yaml_open(buf_as_str(&out), arena, &reader, &err) == RC_OK);
    must(yaml_next(reader, &again, &any, &err) == RC_OK && any);
    must(json_equal(again.value, value));
    json_decref(again.value);
    yaml_close(reader);
    arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};
    struct arena *arena = arena_new(1 << 20);
    struct yaml_reader *reader = NULL;
    struct err err;
    bool any;

    any = len > 0 && len <= INPUT_MAX && yaml_open(text, arena, &reader, &err) == RC_OK;
    while (any) {
        struct yaml_document doc;

        if (yaml_next(reader, &doc, &any, &err) != RC_OK)
            break;
        if (!any)
            break;
        must(doc.at <= len && doc.len <= len - doc.at && doc.line > 0);
        must(yaml_line((struct str){text.ptr + doc.at, doc.len}, "a.b[0]") > 0);
        check_print(doc.value);
        json_decref(doc.value);
    }
    yaml_close(reader);
    arena_free(arena);
    return 0;
}
