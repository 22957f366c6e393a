/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of the program, each with its options and help.
 */
#pragma once

#include "cli/args.h"

struct command {
    const char *name;
    const char *usage;    /* behind "belfry NAME" */
    const char *summary;  /* one line             */
    const char *about;    /* paragraphs           */
    const char *examples; /* lines                */
    const struct option *options;
    int option_count;
    int own_from;       /* options before this one are shared; the help puts them last */
    bool takes_program; /* the words behind `--` are a program and its arguments */
    int (*run)(const struct args *args); /* returns the exit status */
};

extern const struct command next_command;
extern const struct command explain_command;
extern const struct command worker_command;

/* `belfry next --batch FILE`. */
int batch_run(const char *path, const struct args *args);

/* The help of one command, and of all of them. */
void help_print(const struct command *command, int fd);
void help_print_all(const struct command *const *commands, int count, int fd);
