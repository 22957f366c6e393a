/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a calendar entry: the first byte chooses the grammar; up to seven fields follow,
 * one per line, from the second to the weekday.
 */
#include <stdint.h>

#include "check_cron.h"
#include "core/cron/cron_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static struct str next_line(struct str *rest)
{
    struct str line = *rest, head;

    *rest = (struct str){rest->ptr + rest->len, 0};
    if (str_cut(line, '\n', &head, rest))
        return head;
    return line;
}

/* The longest field: the offset of an error is within one of them. */
static size_t longest(const struct str *fields, int count)
{
    size_t most = 0;

    for (int i = 0; i < count; i++)
        most = fields[i].len > most ? fields[i].len : most;
    return most;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str rest, fields[7];
    struct calendar_text text;
    struct cron cron;
    struct err err;
    enum rc rc;

    if (len == 0)
        return 0;
    rest = (struct str){(const char *)bytes + 1, len - 1};
    for (int i = 0; i < 7; i++)
        fields[i] = next_line(&rest);
    text = (struct calendar_text){fields[0], fields[1], fields[2], fields[3],
                                  fields[4], fields[5], fields[6]};
    rc = calendar_parse(&text, bytes[0] & 1 ? DIALECT_TEMPORAL : DIALECT_BELFRY, &cron, &err);
    if (rc != RC_OK) {
        check_error(rc, &err, longest(fields, 7));
        must(err.field[0] != '\0');
        return 0;
    }
    must(cron.flags & CRON_DAY_AND);
    check_cron(&cron);
    return 0;
}
