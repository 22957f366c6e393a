/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the format in which a crontab was read with its path, its comments and its lines.
 */
#include "cli/import/import_format.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"

enum {
    USER_NAME_MAX = 64, /* bytes of a user's name; Linux allows 32 */
    PROGRAM_PATH_MAX = 4096,
};

/* ---- this machine ---- */

static bool is_user_here(struct str name)
{
    char text[USER_NAME_MAX + 1];
    struct buf out = BUF(text);

    buf_str(&out, name);
    return !out.cut && getpwnam(text) != NULL;
}

static bool is_in_path(struct str name)
{
    const char *path = getenv("PATH");
    struct str rest = str_of(path ? path : "/usr/bin:/bin"), dir;
    bool is_more = true;

    while (is_more) {
        char text[PROGRAM_PATH_MAX];
        struct buf out = BUF(text);

        is_more = str_cut(rest, ':', &dir, &rest);
        if (!is_more)
            dir = rest;
        buf_str(&out, dir);
        buf_char(&out, '/');
        buf_str(&out, name);
        if (!out.cut && access(text, X_OK) == 0)
            return true;
    }
    return false;
}

/* A command of the shell, or a program. */
static bool is_program_here(struct str name)
{
    static const char *const commands[] = {"cd",   "if",     "for",    "while",  "case",
                                           "exec", "eval",   "test",   "export", "umask",
                                           "set",  "ulimit", "source", "command"};

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (str_eq(name, str_of(commands[i])))
            return true;
    return is_in_path(name);
}

const struct import_known import_known_here = {is_user_here, is_program_here};

/* ---- comments and paths ---- */

enum format { FORMAT_UNKNOWN, FORMAT_USER, FORMAT_SYSTEM };

static struct str take_word(struct str *rest)
{
    size_t n = 0;
    struct str word;

    *rest = str_trim(*rest);
    while (n < rest->len && rest->ptr[n] != ' ' && rest->ptr[n] != '\t')
        n++;
    word = (struct str){rest->ptr, n};
    *rest = str_from(*rest, n);
    return word;
}

/* The column titles of common crontabs: "# m h dom mon dow user command". */
static enum format comment_format(struct str line)
{
    struct str last = {NULL, 0};

    while (line.len > 0) {
        struct str word = take_word(&line);

        if (str_eq(word, STR("command")) && str_eq(last, STR("dow")))
            return FORMAT_USER;
        if (str_eq(word, STR("command")) && str_starts(last, STR("user")))
            return FORMAT_SYSTEM;
        last = word;
    }
    return FORMAT_UNKNOWN;
}

static enum format file_format(const char *path, struct str text)
{
    enum format found = FORMAT_UNKNOWN;
    bool is_more = true;
    struct str line;

    if (strcmp(path, "/etc/crontab") == 0 || strncmp(path, "/etc/cron.d/", 12) == 0)
        return FORMAT_SYSTEM;
    while (is_more && found == FORMAT_UNKNOWN) {
        is_more = str_cut(text, '\n', &line, &text);
        if (!is_more)
            line = text;
        line = str_trim(line);
        if (line.len > 0 && line.ptr[0] == '#')
            found = comment_format(line);
    }
    return found;
}

/* ---- lines ---- */

static bool is_user_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (!char_is_alpha(c) && !char_is_digit(c) && c != '_' && c != '.' && c != '-' &&
            c != '$' && c != '@')
            return false;
    }
    return name.len > 0 && name.len <= USER_NAME_MAX && name.ptr[0] != '-' &&
           name.ptr[0] != '.' && name.ptr[0] != '$';
}

/* A user before the command of a line that was read without a column for it. */
static enum rc check_command(const struct crontab_line *line, const struct import_known *known,
                             struct err *reterr)
{
    struct str rest = line->command, word = take_word(&rest);

    if (str_trim(rest).len == 0 || !is_user_name(word) || !known->is_user(word) ||
        known->is_program(word))
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0,
                   "\"%.*s\" is a user; use --system if the lines have a user column, or "
                   "--system=false if this is a command",
                   STR_ARG(word));
}

static enum rc check_user(const struct crontab_line *line, const struct import_known *known,
                          struct err *reterr)
{
    if (is_user_name(line->user) &&
        (known->is_user(line->user) || !known->is_program(line->user)))
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0,
                   "\"%.*s\" is not a user; omit --system if the lines have no user column",
                   STR_ARG(line->user));
}

enum rc import_check_format(const char *path, struct str text, const struct crontab *table,
                            const struct import_known *known, int *ret_line, struct err *reterr)
{
    enum format format = file_format(path, text);
    enum rc rc = RC_OK;

    *ret_line = 0;
    for (int i = 0; i < table->count && rc == RC_OK; i++) {
        const struct crontab_line *line = &table->lines[i];

        *ret_line = line->line;
        rc = table->is_system ? check_user(line, known, reterr)
                              : check_command(line, known, reterr);
    }
    if (rc != RC_OK)
        return rc;
    *ret_line = 0;
    if (!table->is_system && format == FORMAT_SYSTEM)
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "this is a system crontab, whose lines have a user column; use --system, "
            "or --system=false if they have none");
    if (table->is_system && format == FORMAT_USER)
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "its comment names no user column; omit --system, or remove the comment");
    return RC_OK;
}
