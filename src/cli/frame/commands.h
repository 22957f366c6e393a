/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of the program, each with its options and help.
 *
 * cli/cli.c, the help, the manual pages and the shell completion all use these tables.
 */
#pragma once

#include "cli/frame/args.h"

struct printer;
struct remote;

struct command {
    const char *name;     /* "next", or with its group: "schedule create"   */
    const char *usage;    /* follows "belfry NAME"; begins with the operands */
    const char *summary;  /* one line   */
    const char *about;    /* paragraphs; NULL: none */
    const char *examples; /* lines      */
    const struct option *options;
    int option_count;
    int own_from;         /* options before this index are shared; the help lists them last */
    bool takes_program;   /* the words after `--` are a program and its arguments */
    bool counts_operands; /* check that there are `least` to `most` operands */
    int least, most;
    const void *arg;                     /* data for a `run` that several commands share */
    int (*run)(const struct args *args); /* returns the exit status */
    int (*call)(struct remote *remote, const struct args *args); /* the same, for CALLS() */
};

/* A `run` that opens the remote (cli/remote/remote.h) for the command's `call`. */
int remote_run(const struct args *args);
#define CALLS(function) .run = remote_run, .call = (function)

/* Commands whose names begin with the same word. */
struct command_group {
    const char *name;
    const char *summary;
    const struct command *commands;
    int count;
};

extern const struct command next_command;
extern const struct command explain_command;
extern const struct command worker_command;
extern const struct command events_command;
extern const struct command status_command;
extern const struct command version_command;
extern const struct command completion_command;
extern const struct command apply_command;
extern const struct command diff_command;
extern const struct command export_command;

extern const struct command_group schedule_group;
extern const struct command_group run_group;
extern const struct command_group backfill_group;
extern const struct command_group queue_group;
extern const struct command_group calendar_group;
extern const struct command_group gate_group;
extern const struct command_group namespace_group;
extern const struct command_group node_group;
extern const struct command_group token_group;
extern const struct command_group audit_group;
extern const struct command_group import_group;

/* ---- all commands ---- */

/* Command number `i`, groups included; NULL after the last. */
const struct command *command_at(int i);
/* The group of this name, or NULL. */
const struct command_group *group_find(const char *name);
/* First word number `i` of a command line: a group or a command; NULL after the last. */
const char *first_word_at(int i, const char **ret_summary);

/* ---- help ---- */

/* Help for one command, for a group, and the list of all commands; returns the exit status. */
int help_print(const struct command *command, int fd);
int help_print_group(const struct command_group *group, int fd);
int help_print_all(int fd);

/* Prints the manual page of a first word as roff. */
void manual_print(const char *word, struct printer *out);
