/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the packed lines of a run's log.
 *
 * Accepted lines have only one packed form: they pack to the same bytes again.  Then the bytes
 * as a text, which is packed and read back, cut if it is too long.
 */
#include <string.h>

#include "base/must.h"
#include "store/logs.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static char again[LOGS_LINE_MAX + LOG_LINE_HEAD + 1];

static void check_lines(struct str all)
{
    struct str rest = all;
    struct log_line line;
    struct err err;
    bool any = true;

    while (any) {
        struct str before = rest;
        struct buf out = BUF(again);

        if (log_line_unpack(&rest, &line, &any, &err) != RC_OK) {
            must(err.rc == RC_CORRUPT && err.text[0] != '\0' && rest.ptr == before.ptr);
            return;
        }
        if (!any)
            continue;
        log_line_pack(&line, &out);
        must(!out.cut && out.len == before.len - rest.len);
        must(memcmp(again, before.ptr, out.len) == 0);
    }
    must(rest.len == 0);
}

static void check_text(struct str text)
{
    struct buf out = BUF(again);
    struct str packed;
    struct log_line line;
    struct err err;
    bool any;

    log_line_pack(&(struct log_line){.at = -1, .stream = LOG_WORKER, .text = text}, &out);
    must(!out.cut);
    packed = buf_as_str(&out);
    must(log_line_unpack(&packed, &line, &any, &err) == RC_OK && any && packed.len == 0);
    must(line.text.len == text.len ||
         (text.len > LOGS_LINE_MAX && line.text.len <= LOGS_LINE_MAX));
    must(str_starts(text, line.text));
    must(!str_is_utf8(text) || str_is_utf8(line.text));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str all = {(const char *)bytes, len};

    check_lines(all);
    check_text(all);
    return 0;
}
