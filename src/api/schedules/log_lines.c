/* SPDX-License-Identifier: Apache-2.0 */
#include "api/schedules/log_lines.h"

#include "store/logs.h"

static void pack(struct str text, instant now, struct buf *out)
{
    log_line_pack(&(struct log_line){.at = now, .stream = LOG_WORKER, .text = text}, out);
}

static struct str line_of(const json_t *value)
{
    return (struct str){json_string_value(value), json_string_length(value)};
}

/* A text that ends its last line has no empty one after it. */
static void pack_text(struct str text, instant now, struct buf *out)
{
    struct str line, rest;

    while (str_cut(text, '\n', &line, &rest)) {
        pack(line, now, out);
        text = rest;
    }
    if (text.len > 0)
        pack(text, now, out);
}

static enum rc pack_list(const json_t *list, instant now, struct buf *out, struct err *reterr)
{
    int count = 0;
    enum rc rc = json_take_count(list, LOG_LINES_MAX, &count, reterr);

    for (int i = 0; i < count && rc == RC_OK; i++) {
        const json_t *line = json_array_get(list, (size_t)i);

        if (json_is_string(line))
            pack(line_of(line), now, out);
        else
            rc = json_wrong_type(line, "a list of strings", reterr);
    }
    return rc;
}

/* Bytes that the lines take, packed. */
static size_t room_of(const json_t *value)
{
    size_t room = 0;

    if (json_is_string(value)) {
        struct str text = line_of(value);

        room = text.len + LOG_LINE_HEAD;
        for (size_t i = 0; i < text.len; i++)
            room += text.ptr[i] == '\n' ? LOG_LINE_HEAD : 0;
    }
    for (size_t i = 0; i < json_array_size(value); i++)
        room += LOG_LINE_HEAD + json_string_length(json_array_get(value, i));
    return room;
}

enum rc log_lines_read(const json_t *value, instant now, struct arena *arena, struct str *ret,
                       struct err *reterr)
{
    size_t room = room_of(value);
    struct buf out = {.cap = room + 1};
    enum rc rc = RC_OK;

    if (!json_is_string(value) && !json_is_array(value))
        return json_wrong_type(value, "a text or a list of lines", reterr);
    if (room > LOG_PART_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "has %zu bytes; %d are the most for one report",
                       room, LOG_PART_MAX);
    out.ptr = arena_take(arena, out.cap);
    if (json_is_string(value))
        pack_text(line_of(value), now, &out);
    else
        rc = pack_list(value, now, &out, reterr);
    if (rc == RC_OK)
        *ret = buf_as_str(&out);
    return rc;
}
