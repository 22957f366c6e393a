/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a file into tokens and finds what it declares at file scope.
 */
#include "tokens.h"

#include <stdlib.h>
#include <string.h>

#include "lists.h"

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool token_is(const struct token *token, const char *text)
{
    return (size_t)token->len == strlen(text) && memcmp(token->at, text, strlen(text)) == 0;
}

bool token_is_one_of(const struct token *token, const char *const *words)
{
    for (; *words; words++)
        if (token_is(token, *words))
            return true;
    return false;
}

bool token_is_word(const struct token *token)
{
    return token->len > 0 && is_word_char(token->at[0]);
}

/* The end of a preprocessor line, with the lines that a backslash adds to it. */
static const char *directive_end(const char *p)
{
    while (*p != '\0' && *p != '\n')
        p += p[0] == '\\' && p[1] == '\n' ? 2 : 1;
    return p;
}

struct token *tokens_of(const struct source *source)
{
    struct token *tokens = malloc((source->len + 1) * sizeof *tokens);
    size_t count = 0;
    int line = 1;
    bool fresh = true; /* nothing but blanks on this line so far */

    if (!tokens)
        abort();
    for (const char *p = source->code; *p != '\0';) {
        const char *from = p;

        if (*p == '#' && fresh)
            p = directive_end(p);
        else if (is_word_char(*p))
            while (is_word_char(*p))
                p++;
        else
            p++;
        if (*from != '#' && !is_blank(*from)) {
            tokens[count++] = (struct token){from, (int)(p - from), line};
            fresh = false;
        }
        for (; from < p; from++)
            if (*from == '\n') {
                line++;
                fresh = true;
            }
    }
    tokens[count] = (struct token){source->code + source->len, 0, line};
    return tokens;
}

const struct token *skip_group(const struct token *t)
{
    int depth = 0;

    for (; t->len > 0; t++) {
        if (strchr("([{", t->at[0]))
            depth++;
        if (strchr(")]}", t->at[0]) && --depth == 0)
            return t + 1;
    }
    return t;
}

/* The name before the parameter list between two tokens; NULL when there is none. */
static const struct token *function_name(const struct token *from, const struct token *to)
{
    static const char *const not_names[] = {"__attribute__",  "_Alignas",      "alignas",
                                            "_Static_assert", "static_assert", NULL};

    for (const struct token *t = from; t < to;) {
        if (token_is(t, "="))
            return NULL;
        if (token_is_word(t) && token_is(t + 1, "(") && !token_is_one_of(t, not_names))
            return t;
        t = strchr("([{", t->at[0]) ? skip_group(t) : t + 1;
    }
    return NULL;
}

bool next_declaration(const struct token **at, struct declaration *ret)
{
    const struct token *t = *at;

    *ret = (struct declaration){.from = t};
    while (t->len > 0) {
        if (token_is(t, ";")) {
            ret->name = function_name(ret->from, t);
            *at = ret->end = t + 1;
            return true;
        }
        if (!token_is(t, "{")) {
            t++;
            continue;
        }
        ret->name = function_name(ret->from, t);
        if (ret->name) {
            ret->body = t;
            *at = ret->end = skip_group(t);
            return true;
        }
        t = skip_group(t);
    }
    return false;
}
