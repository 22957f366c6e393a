/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs the log lines of a worker's report for the store.
 */
#include "api/schedules/log_lines.h"

#include "store/logs.h"

static void pack_line(struct str text, instant now, struct buf *out)
{
    log_line_pack(&(struct log_line){.at = now, .stream = LOG_WORKER, .text = text}, out);
}

static struct str string_value(const json_t *value)
{
    return (struct str){json_string_value(value), json_string_length(value)};
}

/* A final line end does not start another, empty line. */
static void pack_text(struct str text, instant now, struct buf *out)
{
    struct str line, rest;

    while (str_cut(text, '\n', &line, &rest)) {
        pack_line(line, now, out);
        text = rest;
    }
    if (text.len > 0)
        pack_line(text, now, out);
}

static enum rc pack_list(const json_t *list, instant now, struct buf *out, struct err *reterr)
{
    int count = 0;
    enum rc rc = json_take_count(list, LOG_LINES_MAX, &count, reterr);

    for (int i = 0; i < count && rc == RC_OK; i++) {
        const json_t *line = json_array_get(list, (size_t)i);

        if (json_is_string(line))
            pack_line(string_value(line), now, out);
        else
            rc = json_wrong_type(line, "a list of strings", reterr);
    }
    return rc;
}

/* The size of the packed lines in bytes. */
static size_t packed_size(const json_t *value)
{
    size_t size = 0;

    if (json_is_string(value)) {
        struct str text = string_value(value);

        size = text.len + LOG_LINE_HEAD;
        for (size_t i = 0; i < text.len; i++)
            size += text.ptr[i] == '\n' ? LOG_LINE_HEAD : 0;
    }
    for (size_t i = 0; i < json_array_size(value); i++)
        size += LOG_LINE_HEAD + json_string_length(json_array_get(value, i));
    return size;
}

enum rc log_lines_read(const json_t *value, instant now, struct arena *arena, struct str *ret,
                       struct err *reterr)
{
    size_t size = packed_size(value);
    struct buf out = {.cap = size + 1};
    enum rc rc = RC_OK;

    if (!json_is_string(value) && !json_is_array(value))
        return json_wrong_type(value, "a text or a list of lines", reterr);
    if (size > LOG_PART_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "is %zu bytes; the limit of one report is %d",
                       size, LOG_PART_MAX);
    out.ptr = arena_take(arena, out.cap);
    if (json_is_string(value))
        pack_text(string_value(value), now, &out);
    else
        rc = pack_list(value, now, &out, reterr);
    if (rc == RC_OK)
        *ret = buf_as_str(&out);
    return rc;
}
