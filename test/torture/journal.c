/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and parses the journal.
 */
#include "journal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/must.h"

int journal_open(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    must(fd >= 0);
    return fd;
}

void journal_write(int journal, const char *fmt, ...)
{
    char line[JOURNAL_LINE_MAX];
    va_list args;
    int length;

    va_start(args, fmt);
    length = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    must(length >= 0 && (size_t)length + 1 < sizeof line);
    line[length++] = '\n';
    must(write(journal, line, (size_t)length) == length);
}

bool journal_next(struct str *text, struct str ret[static JOURNAL_FIELDS_MAX])
{
    struct str line, field;

    if (text->len == 0)
        return false;
    if (!str_cut(*text, '\n', &line, text)) {
        line = *text;
        text->len = 0;
    }
    for (int i = 0; i < JOURNAL_FIELDS_MAX; i++)
        ret[i] = (struct str){"", 0};
    for (int i = 0; i < JOURNAL_FIELDS_MAX - 1 && str_cut(line, '\t', &field, &line); i++) {
        ret[i] = field;
        ret[i + 1] = line;
    }
    if (ret[0].len == 0)
        ret[0] = line;
    return true;
}

int64_t journal_number(struct str field)
{
    int64_t number = 0;
    bool is_negative = field.len > 0 && field.ptr[0] == '-';
    struct str digits = str_from(field, is_negative ? 1 : 0);

    if (digits.len == 0 || str_take_number(&digits, INT64_MAX - 1, &number) == 0)
        return 0;
    return is_negative ? -number : number;
}
