/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes `traceparent`.
 */
#include "model/trace.h"

#include "base/buf.h"
#include "base/hash.h"

enum {
    WORD_DIGITS = 16,
    TRACE_AT = 3,
    PARENT_AT = TRACE_AT + 2 * WORD_DIGITS + 1,
    FLAGS_AT = PARENT_AT + WORD_DIGITS + 1,
    TRACE_LEN = FLAGS_AT + 2,
    SAMPLED = 1,
};

/* Lower case only, as the standard requires. */
static bool read_hex(struct str text, size_t at, size_t digits, uint64_t *ret)
{
    uint64_t n = 0;

    for (size_t i = at; i < at + digits; i++) {
        char c = text.ptr[i];

        if (!char_is_digit(c) && !(c >= 'a' && c <= 'f'))
            return false;
        n = n << 4 | (uint64_t)(char_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    *ret = n;
    return true;
}

/* Later versions may have more fields, which are ignored. */
static bool has_right_length(struct str text, uint64_t version)
{
    if (version == 0)
        return text.len == TRACE_LEN;
    return version != 0xff && (text.len == TRACE_LEN || text.ptr[TRACE_LEN] == '-');
}

bool trace_parse(struct str text, struct trace *ret, bool *ret_is_untraced)
{
    uint64_t version, parent, flags;
    struct trace trace;

    if (text.len < TRACE_LEN || text.ptr[TRACE_AT - 1] != '-' ||
        text.ptr[PARENT_AT - 1] != '-' || text.ptr[FLAGS_AT - 1] != '-' ||
        !read_hex(text, 0, 2, &version) || !has_right_length(text, version) ||
        !read_hex(text, TRACE_AT, WORD_DIGITS, &trace.high) ||
        !read_hex(text, TRACE_AT + WORD_DIGITS, WORD_DIGITS, &trace.low) ||
        !read_hex(text, PARENT_AT, WORD_DIGITS, &parent) ||
        !read_hex(text, FLAGS_AT, 2, &flags))
        return false;
    if ((trace.high | trace.low) == 0 || parent == 0)
        return false;
    *ret = trace;
    *ret_is_untraced = (flags & SAMPLED) == 0;
    return true;
}

struct str trace_print(const struct run *run, struct str id, char text[static TRACE_TEXT_MAX])
{
    struct buf out = {.ptr = text, .cap = TRACE_TEXT_MAX};
    struct trace trace = run->trace;
    uint64_t low = hash_u64(hash_bytes(id.ptr, id.len, 2)) | 1; /* all zeros are invalid */
    struct digest span_id = {low};
    /* Sampled unless the requester said otherwise: receivers may drop other traces. */
    bool is_sampled = !(run->flags & RUN_UNTRACED);

    if ((trace.high | trace.low) == 0)
        trace = (struct trace){hash_u64(hash_bytes(id.ptr, id.len, 1)), low};
    digest_int(&span_id, run->attempt);
    digest_int(&span_id, run->fence);
    buf_str(&out, STR("00-"));
    buf_hex(&out, trace.high);
    buf_hex(&out, trace.low);
    buf_char(&out, '-');
    buf_hex(&out, span_id.sum | 1);
    buf_str(&out, is_sampled ? STR("-01") : STR("-00"));
    return buf_as_str(&out);
}
