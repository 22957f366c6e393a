/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of the program, each with its options and help.
 *
 * One table: what is called, the help, the manual pages and the completion come from it.
 */
#pragma once

#include "cli/frame/args.h"

struct printer;

struct command {
    const char *name;     /* "next", or with what it is about: "schedule create" */
    const char *usage;    /* behind "belfry NAME" */
    const char *summary;  /* one line             */
    const char *about;    /* paragraphs           */
    const char *examples; /* lines                */
    const struct option *options;
    int option_count;
    int own_from;         /* options before this one are shared; the help puts them last */
    bool takes_program;   /* the words behind `--` are a program and its arguments */
    bool counts_operands; /* there must be `least` to `most` of them */
    int least, most;
    const void *arg;                     /* what `run` needs to know, when commands share it */
    int (*run)(const struct args *args); /* returns the exit status */
};

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
extern const struct command version_command;
extern const struct command completion_command;
extern const struct command apply_command;
extern const struct command diff_command;
extern const struct command export_command;
extern const struct command import_command;

extern const struct command_group schedule_group;
extern const struct command_group run_group;
extern const struct command_group queue_group;
extern const struct command_group calendar_group;
extern const struct command_group gate_group;
extern const struct command_group namespace_group;
extern const struct command_group node_group;
extern const struct command_group token_group;
extern const struct command_group audit_group;

/* `belfry next --batch FILE`. */
int batch_run(const char *path, const struct args *args);

/* ---- all there are ---- */

/* Number `i`, those of groups in their places; NULL: there are no more. */
const struct command *command_at(int i);
/* The group of this name; NULL: there is none. */
const struct command_group *group_find(const char *name);
/* A first word of a command line: a group or a command; NULL: there are no more. */
const char *word_at(int i, const char **ret_summary);

/* ---- how they are explained ---- */

/* One command; a group; all of them. */
void help_print(const struct command *command, int fd);
void help_print_group(const struct command_group *group, int fd);
void help_print_all(int fd);

/* The manual page of a first word, in roff. */
void manual_print(const char *word, struct printer *out);
