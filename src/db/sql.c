/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expands tokens and splits texts into statements.
 */
#include "db/sql.h"

#include <string.h>

#include "base/must.h"

static const struct str names[SQL_TOKEN_COUNT] = {
    [SQL_INT] = {"int", 3},       [SQL_TEXT] = {"text", 4},   [SQL_BLOB] = {"blob", 4},
    [SQL_STRICT] = {"strict", 6}, [SQL_SKIP] = {"skip", 4},   [SQL_CLOCK] = {"clock", 5},
    [SQL_KEYED] = {"keyed", 5},   [SQL_BYTES] = {"bytes", 5},
};

static int find_token(struct str name)
{
    int token = 0;

    while (token < SQL_TOKEN_COUNT && !str_eq(names[token], name))
        token++;
    must(token < SQL_TOKEN_COUNT);
    return token;
}

void sql_expand(struct str sql, const char *const words[SQL_TOKEN_COUNT], struct buf *out)
{
    struct str plain, name, rest;

    while (str_cut(sql, '{', &plain, &rest)) {
        must(str_cut(rest, '}', &name, &sql));
        buf_str(out, plain);
        buf_text(out, words[find_token(name)]);
    }
    buf_str(out, sql);
    must(!out->cut);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

static struct str trim_blanks(struct str s)
{
    while (s.len > 0 && is_blank(s.ptr[0]))
        s = str_from(s, 1);
    while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

/* A literal that was cut has an odd number of quotes; a comment could contain a ';'. */
static void check_whole(struct str sql)
{
    size_t quotes = 0;

    for (size_t i = 0; i < sql.len; i++) {
        quotes += sql.ptr[i] == '\'' ? 1 : 0;
        must(i == 0 || memcmp(sql.ptr + i - 1, "--", 2) != 0);
        must(i == 0 || memcmp(sql.ptr + i - 1, "/*", 2) != 0);
    }
    must(quotes % 2 == 0);
}

bool sql_next(struct str *rest, struct str *ret)
{
    struct str statement, tail = *rest;

    do {
        if (!str_cut(tail, ';', &statement, &tail)) {
            statement = tail;
            tail = (struct str){tail.ptr + tail.len, 0};
        }
        statement = trim_blanks(statement);
    } while (statement.len == 0 && tail.len > 0);
    *rest = tail;
    if (statement.len == 0)
        return false;
    check_whole(statement);
    *ret = statement;
    return true;
}
