/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a crontab into lines with their settings, comments and fields.
 */
#include "cli/import/crontab.h"

#include "base/buf.h"
#include "base/must.h"

struct reader {
    struct arena *arena;
    const struct crontab_options *options;
    struct crontab *out;
    struct crontab_env env[CRONTAB_ENV_MAX];
    int env_count;
    struct crontab_env *shared; /* copy of env for the next lines; NULL: env has changed */
    size_t copied;              /* bytes of settings of all lines                        */
    struct str zone;
    const char *comment_from; /* the first comment line of a block; NULL: none */
    const char *comment_to;
    int line;
};

static void on_error(const struct reader *r, const char *text)
{
    r->options->on_error(r->options->arg, r->line, text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct str skip_blanks(struct str s)
{
    while (s.len > 0 && is_blank(s.ptr[0]))
        s = str_from(s, 1);
    return s;
}

static struct str read_word(struct str *rest)
{
    struct str word = skip_blanks(*rest);
    size_t n = 0;

    while (n < word.len && !is_blank(word.ptr[n]))
        n++;
    *rest = str_from(word, n);
    return (struct str){word.ptr, n};
}

/* ---- settings ---- */

/* Removes a pair of equal quotes around the text. */
static struct str strip_quotes(struct str s)
{
    s = str_trim(s);
    if (s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0])
        return (struct str){s.ptr + 1, s.len - 2};
    return s;
}

static bool is_name(struct str s)
{
    if (s.len == 0 || char_is_digit(s.ptr[0]))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!char_is_alpha(s.ptr[i]) && !char_is_digit(s.ptr[i]) && s.ptr[i] != '_')
            return false;
    return true;
}

/* Reads "NAME = value"; false if the line is not a setting. */
static bool read_setting(struct reader *r, struct str line)
{
    struct str name, value;
    int i = 0;

    if (!str_cut(line, '=', &name, &value) || !is_name(strip_quotes(name)))
        return false;
    name = strip_quotes(name);
    value = strip_quotes(value);
    if (str_eq(name, STR("CRON_TZ")))
        r->zone = value;
    while (i < r->env_count && !str_eq(r->env[i].name, name))
        i++;
    if (i == CRONTAB_ENV_MAX) {
        on_error(r, "too many settings; the limit is 256");
        return true;
    }
    r->env[i] = (struct crontab_env){name, value};
    r->env_count += i == r->env_count;
    r->shared = NULL;
    return true;
}

struct str crontab_setting(const struct crontab_line *line, struct str name)
{
    for (int i = 0; i < line->env_count; i++)
        if (str_eq(line->env[i].name, name))
            return line->env[i].value;
    return (struct str){NULL, 0};
}

/* ---- lines ---- */

/* `\%` is a percent sign; the first bare % ends the command, further ones end input lines. */
static void split_command(struct reader *r, struct str text, struct crontab_line *line)
{
    struct buf out = arena_buf(r->arena, text.len + 1);
    size_t end = text.len;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '\\' && i + 1 < text.len && text.ptr[i + 1] == '%') {
            buf_char(&out, '%');
            i++;
        } else if (c == '%' && !line->has_input) {
            line->has_input = true;
            end = out.len;
        } else {
            buf_char(&out, c == '%' ? '\n' : c);
        }
    }
    must(!out.cut);
    if (!line->has_input)
        end = out.len;
    line->command = str_trim((struct str){out.ptr, end});
    line->input = (struct str){out.ptr + end, out.len - end};
}

static struct str read_when(struct reader *r, struct str *rest)
{
    size_t room = rest->len + 1;
    struct buf out = arena_buf(r->arena, room);
    int fields = rest->len > 0 && rest->ptr[0] == '@' ? 1 : 5;

    for (int i = 0; i < fields; i++) {
        if (i > 0)
            buf_char(&out, ' ');
        buf_str(&out, read_word(rest));
    }
    return (struct str){out.ptr, out.len};
}

/* The block of comments directly above, without the # signs. */
static struct str read_comment(struct reader *r)
{
    size_t len = r->comment_from ? (size_t)(r->comment_to - r->comment_from) : 0;
    struct buf out = arena_buf(r->arena, len + 1);
    struct str rest = {r->comment_from, len};

    while (rest.len > 0) {
        struct str line = rest, tail = {NULL, 0};

        (void)str_cut(rest, '\n', &line, &tail);
        line = skip_blanks(line);
        while (line.len > 0 && line.ptr[0] == '#')
            line = str_from(line, 1);
        line = str_trim(line);
        if (line.len > 0 && out.len > 0)
            buf_char(&out, '\n');
        buf_str(&out, line);
        rest = tail;
    }
    r->comment_from = NULL;
    return (struct str){out.ptr, out.len};
}

/* Copies the settings if they have changed; false if all lines together have too many. */
static bool share_settings(struct reader *r)
{
    for (int i = 0; i < r->env_count; i++)
        r->copied += sizeof r->env[i] + r->env[i].name.len + r->env[i].value.len;
    if (r->copied > CRONTAB_COPY_MAX)
        return false;
    if (!r->shared) {
        r->shared = arena_array(r->arena, (size_t)r->env_count, sizeof *r->shared);
        for (int i = 0; i < r->env_count; i++)
            r->shared[i] = r->env[i];
    }
    return true;
}

static void add_line(struct reader *r, struct str text)
{
    struct crontab_line line = {.line = r->line, .zone = r->zone};

    line.comment = read_comment(r);
    line.when = read_when(r, &text);
    if (r->options->is_system)
        line.user = read_word(&text);
    split_command(r, skip_blanks(text), &line);
    if (line.command.len == 0) {
        on_error(r, r->options->is_system
                        ? "incomplete line; use five time fields, a user and a command"
                        : "incomplete line; use five time fields and a command");
        return;
    }
    if (r->out->count == CRONTAB_LINES_MAX) {
        on_error(r, "too many lines; the limit is 10000");
        return;
    }
    if (!share_settings(r))
        return;
    line.env = r->shared;
    line.env_count = r->env_count;
    r->out->lines[r->out->count++] = line;
}

static void read_line(struct reader *r, struct str whole)
{
    struct str line = skip_blanks(whole);

    if (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    if (line.len > 0 && line.ptr[0] == '#') {
        if (!r->comment_from)
            r->comment_from = whole.ptr;
        r->comment_to = whole.ptr + whole.len;
    } else if (line.len == 0 || read_setting(r, line)) {
        r->comment_from = NULL; /* the comment does not belong to a job */
    } else {
        add_line(r, line);
    }
}

enum rc crontab_read(struct str text, const struct crontab_options *options,
                     struct arena *arena, struct crontab *ret, struct err *reterr)
{
    struct reader *r = arena_take(arena, sizeof *r);
    size_t lines = 1;

    if (text.len > CRONTAB_BYTES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "crontab is %zu bytes; the limit is %d",
                       text.len, CRONTAB_BYTES_MAX);
    if (!str_is_utf8(text) || (text.len > 0 && memchr(text.ptr, '\0', text.len)))
        return err_set(reterr, RC_INVALID, -1, 0, "not UTF-8 text");
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    *ret = (struct crontab){.lines = arena_array(arena, lines, sizeof *ret->lines),
                            .is_system = options->is_system};
    *r = (struct reader){.arena = arena, .options = options, .out = ret};
    while (text.len > 0) {
        struct str line = text, rest = {NULL, 0};

        (void)str_cut(text, '\n', &line, &rest);
        r->line++;
        read_line(r, line);
        text = rest;
    }
    if (r->copied > CRONTAB_COPY_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "each line gets the settings above it, together more than %d bytes; "
                       "split the crontab",
                       CRONTAB_COPY_MAX);
    return RC_OK;
}
