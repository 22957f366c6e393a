/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers a program's output lines until the server has stored them.
 */
#include "cli/worker/worker_lines.h"

#include <stdio.h>

static void append_line(struct lines *lines, struct str line)
{
    size_t before = lines->text.len;

    text_add_escaped(&lines->text, line, LINES_LINE_MAX);
    text_add(&lines->text, STR("\n"));
    lines->cost += (int64_t)(lines->text.len - before) + LINES_LINE_HEAD;
    lines->total_cost += (int64_t)(lines->text.len - before) + LINES_LINE_HEAD;
}

void lines_add(struct lines *lines, struct str line)
{
    if (lines->total_cost < LINES_RUN_MAX)
        append_line(lines, line);
    else
        lines->dropped++;
}

void lines_close(struct lines *lines)
{
    char text[80];

    if (lines->dropped == 0)
        return;
    snprintf(text, sizeof text, "(%lld lines of output were dropped)",
             (long long)lines->dropped);
    append_line(lines, str_of(text));
}

bool lines_exceed_request(const struct lines *lines)
{
    return lines->cost > LINES_PART_MAX;
}

void lines_send(struct lines *lines, struct text *body)
{
    struct str rest = text_as_str(&lines->text), line, tail;

    lines->sent = 0;
    lines->sent_cost = 0;
    if (rest.len == 0)
        return;
    text_add(body, STR(",\"log\":\""));
    while (str_cut(rest, '\n', &line, &tail)) {
        int64_t cost = (int64_t)line.len + 1 + LINES_LINE_HEAD;

        if (lines->sent_cost + cost > LINES_PART_MAX)
            break;
        text_add(body, line);
        text_add(body, STR("\\n"));
        lines->sent += line.len + 1;
        lines->sent_cost += cost;
        rest = tail;
    }
    text_add(body, STR("\""));
}

void lines_drop_sent(struct lines *lines)
{
    text_drop(&lines->text, lines->sent);
    lines->cost -= lines->sent_cost;
    lines->sent = 0;
    lines->sent_cost = 0;
}

void lines_clear(struct lines *lines)
{
    text_clear(&lines->text);
    *lines = (struct lines){0};
}
