/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives schedules readable ids: the program that a crontab line runs, without what only
 * prepares it (`cd /srv &&`, `nice -n 19`, `/bin/sh -c`), and its arguments if several lines
 * run the same program.
 */
#include "cli/import/import_name.h"

#include "base/hash.h"
#include "base/must.h"

enum {
    NAME_MAX_BYTES = 100, /* of a name without prefix and number */
    WORDS_MAX = 200,      /* of a command that are looked at     */
    LONG_WORDS_MAX = 4,   /* arguments in a long name            */
};

/* ---- the program of a command ---- */

/* A word that a program follows. */
struct wrapper {
    const char *name;
    const char *valued; /* letters of its options that have a value */
    int operands;       /* words before the program                 */
};

static const struct wrapper wrappers[] = {
    {"(", "", 0},       {"{", "", 0},       {"!", "", 0},
    {"if", "", 0},      {"then", "", 0},    {"else", "", 0},
    {"do", "", 0},      {"exec", "a", 0},   {"command", "", 0},
    {"env", "uCS", 0},  {"time", "of", 0},  {"nohup", "", 0},
    {"setsid", "", 0},  {"nice", "n", 0},   {"ionice", "cn", 0},
    {"chrt", "", 1},    {"sudo", "ugp", 0}, {"timeout", "ks", 1},
    {"flock", "wE", 1}, {"chronic", "", 0}, {"systemd-cat", "tp", 0},
    {"sh", "", 0},      {"bash", "", 0},    {"dash", "", 0},
    {"ksh", "", 0},     {"zsh", "", 0},     {"python", "", 0},
    {"python2", "", 0}, {"python3", "", 0}, {"perl", "", 0},
    {"ruby", "", 0},    {"php", "dc", 0},   {"node", "", 0},
};

/* Commands that only prepare: the program is after the next && or || or ; */
static const char *const preparations[] = {"cd",     "test",  "[", "[[",     "export", "umask",
                                           "ulimit", "sleep", ".", "source", "set",    "mkdir"};

static bool is_separator(struct str word)
{
    static const char *const separators[] = {"&&", "||", ";", "|", "&"};

    for (size_t i = 0; i < sizeof separators / sizeof separators[0]; i++)
        if (str_eq(word, str_of(separators[i])))
            return true;
    return false;
}

static bool is_redirection(struct str word)
{
    return word.len > 0 && (word.ptr[0] == '>' || word.ptr[0] == '<' ||
                            (word.len > 1 && char_is_digit(word.ptr[0]) && word.ptr[1] == '>'));
}

struct words {
    struct str list[WORDS_MAX];
    int count;
};

static void add_word(struct words *words, struct str word)
{
    if (word.len > 0 && words->count < WORDS_MAX)
        words->list[words->count++] = word;
}

/* Splits at blanks; a `;` at the end and brackets around a word are words of their own. */
static void split_words(struct str text, struct words *ret)
{
    ret->count = 0;
    while (text.len > 0 && ret->count < WORDS_MAX) {
        size_t n = 0;
        struct str word;
        bool ends = false;

        while (n < text.len && !strchr(" \t\n\"'`", text.ptr[n]))
            n++;
        word = (struct str){text.ptr, n};
        text = str_from(text, n < text.len ? n + 1 : n);
        while (word.len > 1 && (word.ptr[0] == '(' || word.ptr[0] == '{')) {
            add_word(ret, (struct str){word.ptr, 1});
            word = str_from(word, 1);
        }
        while (word.len > 0 && strchr(";)}", word.ptr[word.len - 1])) {
            ends = ends || word.ptr[word.len - 1] == ';';
            word.len--;
        }
        add_word(ret, word);
        if (ends)
            add_word(ret, STR(";"));
    }
}

static struct str base_name(struct str word)
{
    for (size_t i = word.len; i > 0; i--)
        if (word.ptr[i - 1] == '/' && i < word.len)
            return str_from(word, i);
    return word;
}

static bool is_in(struct str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(word, str_of(list[i])))
            return true;
    return false;
}

static const struct wrapper *find_wrapper(struct str word)
{
    for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++)
        if (str_eq(base_name(word), str_of(wrappers[i].name)))
            return &wrappers[i];
    return NULL;
}

static int skip_options(const struct words *words, int at, const struct wrapper *wrapper)
{
    for (; at < words->count && words->list[at].ptr[0] == '-'; at++) {
        struct str word = words->list[at];

        if (word.len == 2 && strchr(wrapper->valued, word.ptr[1]))
            at++;
    }
    return at + wrapper->operands;
}

/* The word that is the program; words->count: none was found. */
static int find_program(const struct words *words)
{
    int at = 0;

    while (at < words->count) {
        struct str word = words->list[at], name, value;
        const struct wrapper *wrapper = find_wrapper(word);

        if (is_in(word, preparations, sizeof preparations / sizeof preparations[0])) {
            while (at < words->count && !is_separator(words->list[at]))
                at++;
        } else if (wrapper) {
            at = skip_options(words, at + 1, wrapper);
        } else if (is_separator(word) || is_redirection(word) ||
                   (str_cut(word, '=', &name, &value) && !memchr(name.ptr, '/', name.len))) {
            at++;
        } else {
            return at;
        }
    }
    return words->count;
}

/* Letters, digits, dots, dashes and underscores of a word; false if there are none. */
static bool add_slug(struct str word, struct buf *out)
{
    size_t before = out->len;

    word = base_name(word);
    for (size_t i = 0; i < word.len && out->len < NAME_MAX_BYTES; i++) {
        char c = word.ptr[i];

        if (char_is_alpha(c) || char_is_digit(c) || c == '_' ||
            (out->len > before && (c == '.' || c == '-')))
            buf_char(out, c);
        else if (c == ':' && out->len > before)
            buf_char(out, '-');
    }
    while (out->len > before && strchr(".-", out->ptr[out->len - 1]))
        out->len--;
    out->ptr[out->len] = '\0';
    return out->len > before;
}

void import_name(struct str command, bool is_long, struct buf *out)
{
    struct words words;
    int at, used = 0;
    bool has_any;

    split_words(command, &words);
    at = find_program(&words);
    if (at == words.count) /* nothing but preparations, such as `cd /` */
        at = 0;
    has_any = at < words.count && add_slug(words.list[at], out);
    for (at++; is_long && at < words.count && used < LONG_WORDS_MAX; at++) {
        size_t before = out->len;

        if (is_separator(words.list[at]) || is_redirection(words.list[at]))
            break;
        if (has_any)
            buf_char(out, '-');
        if (add_slug(words.list[at], out)) {
            has_any = true;
            used++;
        } else {
            out->len = before;
            out->ptr[before] = '\0';
        }
    }
    if (!has_any)
        buf_text(out, "job");
}

/* ---- unique ids ---- */

struct import_id {
    const char *text; /* NULL: free */
    int count;        /* how often it was wanted */
};

struct import_ids import_ids_new(int lines, struct arena *arena)
{
    struct import_ids ids = {.arena = arena, .room = 16};

    while (ids.room < 4 * (size_t)lines)
        ids.room *= 2;
    ids.list = arena_array(arena, ids.room, sizeof *ids.list);
    return ids;
}

/* The entry of an id, which is added if it is new. */
static struct import_id *find_id(struct import_ids *ids, const char *text)
{
    size_t at = hash_u64(hash_bytes(text, strlen(text), 0)) & (ids->room - 1);

    while (ids->list[at].text && strcmp(ids->list[at].text, text) != 0)
        at = (at + 1) & (ids->room - 1);
    if (!ids->list[at].text) {
        must(++ids->count < ids->room); /* at most two for each line */
        ids->list[at].text = arena_str(ids->arena, str_of(text)).ptr;
    }
    return &ids->list[at];
}

int import_ids_want(struct import_ids *ids, const char *text)
{
    return ++find_id(ids, text)->count;
}

int import_ids_count(struct import_ids *ids, const char *text)
{
    return find_id(ids, text)->count;
}

void import_ids_take(struct import_ids *ids, struct buf *id)
{
    struct import_id *entry = find_id(ids, id->ptr);
    size_t len = id->len;

    /* Another line may be called "x-2" already. */
    while (entry->count++ > 0) {
        struct import_id *numbered;

        id->len = len;
        buf_printf(id, "-%d", entry->count);
        must(!id->cut);
        numbered = find_id(ids, id->ptr);
        if (numbered->count == 0) {
            numbered->count = 1;
            return;
        }
    }
}
