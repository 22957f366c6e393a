/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option parser; for a misspelt option the error names the nearest known one.
 */
#include "cli/frame/args.h"

#include <string.h>

#include "base/must.h"
#include "base/str.h"

struct reader {
    int argc, at;
    char **argv;
    const struct option *options;
    int count;
    struct args *args;
};

/* Names that other programs use for these options. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"port", "listen"}, {"host", "listen"}, {"bind", "listen"}, {"address", "listen"},
    {"database", "db"}, {"sqlite", "db"},   {"url", "server"},
};

static const struct option *find_alias(const struct reader *r, struct str name)
{
    for (size_t k = 0; k < sizeof aliases / sizeof aliases[0]; k++)
        for (int i = 0; str_eq(name, str_of(aliases[k].alias)) && i < r->count; i++)
            if (strcmp(r->options[i].name, aliases[k].name) == 0)
                return &r->options[i];
    return NULL;
}

static enum rc unknown_option(const struct reader *r, const char *word, struct err *reterr)
{
    const char *names[ARGS_OPTIONS_MAX];
    struct str name = str_of(word), rest;
    const struct option *known;
    int near;

    while (name.len > 0 && name.ptr[0] == '-')
        name = str_from(name, 1);
    str_cut(name, '=', &name, &rest);
    known = find_alias(r, name);
    if (known)
        return err_set(reterr, RC_INVALID, -1, 0, "unknown option \"%.200s\"; use --%s %s",
                       word, known->name, known->value);
    for (int i = 0; i < r->count; i++)
        names[i] = r->options[i].name;
    near = str_nearest(name, names, r->count);
    if (near >= 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "unknown option \"%.200s\"; did you mean --%s?", word, names[near]);
    return err_set(reterr, RC_INVALID, -1, 0, "unknown option \"%.200s\"", word);
}

static bool value_is_optional(const struct option *option)
{
    return option->value[0] == '[';
}

static enum rc add_value(struct reader *r, int i, const char *value, struct err *reterr)
{
    struct args *args = r->args;

    if (args->given_count == ARGS_GIVEN_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "too many options; the limit is %d",
                       ARGS_GIVEN_MAX);
    args->value[i] = value;
    args->given[args->given_count].option = i;
    args->given[args->given_count++].value = value;
    return RC_OK;
}

/* `inside` is a value in the option's own word (--tz=Z, -n5); NULL: it is the next word. */
static enum rc read_value(struct reader *r, int i, const char *inside, struct err *reterr)
{
    const struct option *option = &r->options[i];

    if (!option->value) {
        if (inside)
            return err_set(reterr, RC_INVALID, -1, 0, "--%s takes no value", option->name);
        return add_value(r, i, "", reterr);
    }
    if (!inside && value_is_optional(option))
        return add_value(r, i, "true", reterr);
    if (!inside && r->at >= r->argc)
        return err_set(reterr, RC_INVALID, -1, 0, "--%s needs a value: --%s %s", option->name,
                       option->name, option->value);
    return add_value(r, i, inside ? inside : r->argv[r->at++], reterr);
}

static bool is_name(struct str word, const char *name)
{
    if (word.len != strlen(name))
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] != name[i] && !(word.ptr[i] == '_' && name[i] == '-'))
            return false;
    return true;
}

static enum rc long_option(struct reader *r, const char *word, struct err *reterr)
{
    struct str name = str_of(word + 2), value = {NULL, 0};
    bool has_value = str_cut(name, '=', &name, &value);

    for (int i = 0; i < r->count; i++)
        if (is_name(name, r->options[i].name))
            return read_value(r, i, has_value ? value.ptr : NULL, reterr);
    return unknown_option(r, word, reterr);
}

/* `-n5`, `-n 5`; options without a value may be combined: `-lj`. */
static enum rc short_options(struct reader *r, const char *word, struct err *reterr)
{
    for (const char *p = word + 1; *p != '\0'; p++) {
        int i = 0;
        enum rc rc;

        while (i < r->count && r->options[i].letter != *p)
            i++;
        if (i == r->count)
            return unknown_option(r, word, reterr);
        if (r->options[i].value && !value_is_optional(&r->options[i]))
            return read_value(r, i, p[1] != '\0' ? p + 1 : NULL, reterr);
        rc = read_value(r, i, NULL, reterr);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

enum rc args_read(int argc, char **argv, const struct option *options, int count,
                  struct args *ret, struct err *reterr)
{
    struct args args = {.operand = argv};
    struct reader r = {
        .argc = argc, .argv = argv, .options = options, .count = count, .args = &args};
    bool only_operands = false;

    must(count <= ARGS_OPTIONS_MAX);
    while (r.at < argc) {
        char *word = argv[r.at++];
        enum rc rc = RC_OK;

        if (only_operands || word[0] != '-' || word[1] == '\0')
            argv[args.operands++] = word; /* never overwrites a word that is still unread */
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (word[1] == '-')
            rc = long_option(&r, word, reterr);
        else
            rc = short_options(&r, word, reterr);
        if (rc != RC_OK)
            return rc;
    }
    *ret = args;
    return RC_OK;
}

int args_all(const struct args *args, int option, const char **ret_list, int max)
{
    int count = 0;

    for (int i = 0; i < args->given_count; i++) {
        if (args->given[i].option != option)
            continue;
        if (count < max)
            ret_list[count] = args->given[i].value;
        count++;
    }
    return count;
}
