/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of one command: options by a table, and operands.
 *
 * `--tz Z`, `--tz=Z`, `-n 5`, `-n5`; options and operands in any order; `--` ends options.
 * Of an option given twice the last counts; - and _ in a name are the same.  Nothing is
 * printed here.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum {
    ARGS_OPTIONS_MAX = 64, /* a daemon has one for each key of its configuration */
    ARGS_OPERANDS_MAX = 8, /* no command takes more than one; the rest is for the message */
};

struct option {
    const char *name;  /* without its dashes                                */
    char letter;       /* the short form, '\0' when there is none           */
    const char *value; /* what the help calls its value; NULL when it has none; "[=BOOL]":
                          it may stand alone, which means true                   */
    const char *help;
};

struct args {
    const char *value[ARGS_OPTIONS_MAX]; /* by index into the table; "" for a bare option */
    const char *operand[ARGS_OPERANDS_MAX];
    int operands;
};

/* `argv` are the words behind the command's name. */
MUST_USE enum rc args_read(int argc, char **argv, const struct option *options, int count,
                           struct args *ret, struct err *reterr);
