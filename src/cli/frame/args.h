/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of one command: options by a table, and operands.
 *
 * `--tz Z`, `--tz=Z`, `-n 5`, `-n5`; options and operands in any order; `--` ends options.
 * Of an option given twice the last counts, unless the command asks for all of them; - and _
 * in a name are the same.  Nothing is printed here.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum {
    ARGS_OPTIONS_MAX = 64, /* a daemon has one for each key of its configuration */
    ARGS_GIVEN_MAX = 128,  /* options as they stand on the line                       */
};

struct option {
    const char *name;  /* without its dashes                                */
    char letter;       /* the short form, '\0' when there is none           */
    const char *value; /* what the help calls its value; NULL when it has none; "[=BOOL]":
                          it may stand alone, which means true                   */
    const char *help;
};

struct command;

struct args {
    const struct command *command;       /* whose they are */
    const char *value[ARGS_OPTIONS_MAX]; /* by index into the table; "" for a bare option */
    char **operand; /* the first words of `argv`, which args_read() moves there */
    int operands;
    struct {
        int option;
        const char *value;
    } given[ARGS_GIVEN_MAX]; /* in their order */
    int given_count;
    char **program; /* the words behind `--`, up to NULL; NULL when the command takes none */
};

/* All values of an option; how many there are, of which at most `max` are in the list. */
int args_all(const struct args *args, int option, const char **ret_list, int max);

/* `argv` are the words behind the command's name. */
MUST_USE enum rc args_read(int argc, char **argv, const struct option *options, int count,
                           struct args *ret, struct err *reterr);
