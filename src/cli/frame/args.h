/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the options and operands of one command, using the command's table of options.
 *
 * `--tz Z`, `--tz=Z`, `-n 5`, `-n5`; options and operands in any order; `--` ends options.
 * If an option is repeated, the last value counts, unless the command reads all of them with
 * args_all(); - and _ in a name are equal.  Nothing is printed here.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum {
    ARGS_OPTIONS_MAX = 64, /* the server has an option for each configuration key */
    ARGS_GIVEN_MAX = 128,  /* options on one command line                         */
};

struct part; /* cli/remote/request_options.h */

struct option {
    const char *name;        /* without dashes                */
    char letter;             /* the short form, '\0': none    */
    const char *value;       /* name of the value in the help; NULL: the option has no value;
                                "[=BOOL]": the value is optional and defaults to true */
    const struct part *part; /* where a request contains the value; NULL: nowhere */
    const char *help;
};

struct command;

struct args {
    const struct command *command;       /* the command that they belong to */
    const char *value[ARGS_OPTIONS_MAX]; /* by index into the table; "" for a bare option */
    char **operand; /* args_read() moves the operands to the front of `argv` */
    int operands;
    struct {
        int option;
        const char *value;
    } given[ARGS_GIVEN_MAX]; /* in the order of the command line */
    int given_count;
    char **program; /* the words after `--`, up to NULL; NULL when the command takes none */
};

/* Stores up to `max` values of an option; returns how many were given. */
int args_all(const struct args *args, int option, const char **ret_list, int max);

/* `argv` holds the words after the command's name. */
MUST_USE enum rc args_read(int argc, char **argv, const struct option *options, int count,
                           struct args *ret, struct err *reterr);
