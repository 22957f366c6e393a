/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a C file, and its declarations and definitions at file scope.
 *
 * Just enough of a parser for the checks in this folder.  It skips comments, the insides
 * of literals and preprocessor lines.
 */
#pragma once

#include "source.h"

struct token {
    const char *at;
    int len; /* a word, or one character; 0 marks the end of the file */
    int line;
};

/* The tokens of the file; the caller frees them. */
struct token *tokens_of(const struct source *source);

bool token_is(const struct token *token, const char *text);
bool token_is_one_of(const struct token *token, const char *const *words);
bool token_is_word(const struct token *token);

/* Skips from the bracket at `t` past its closing bracket, over brackets of every kind. */
const struct token *skip_group(const struct token *t);

/* A declaration or a definition at file scope. */
struct declaration {
    const struct token *from;
    const struct token *name; /* of the function; NULL when it is something else      */
    const struct token *body; /* the brace that opens the function; NULL when there is none */
    const struct token *end;  /* past its last token                                   */
};

/* Finds the next one at or after *t, and moves *t past it; false at the end of the file. */
bool next_declaration(const struct token **t, struct declaration *ret);
