/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that send one request per named object, described by data instead of code.
 */
#pragma once

#include <limits.h>

#include "cli/remote/list.h"
#include "cli/remote/request_options.h"
#include "cli/remote/run_wait.h"

/* Prints the answer of a successful request; `name` is the operand. */
typedef void request_command_print_fn(const json_t *answer, const char *name,
                                      const struct when *when, struct printer *out);

/* Prints that something was done, such as "deleted", with details from the answer. */
typedef void request_command_done_fn(const char *done, const json_t *answer,
                                     const struct when *when, struct printer *out);

struct request_command {
    const char *method; /* NULL: GET, with the options in the query; DELETE has none */
    const char *kind;   /* "schedules": the path is /api/v1/schedules/NAME and tail   */
    const char *tail;   /* "/pause"; NULL: none                                      */
    /* One of these prints the answer; if several are set, the first in this order. */
    request_command_print_fn *print;
    request_command_done_fn *print_done; /* called with `done` */
    const char *done;                    /* prints "NAME: DONE", such as "deleted" */
    const struct view *view;             /* also gives the id for -o name */
    bool starts_run;                     /* exits with 75 if the overlap policy skips the run */
    bool can_wait;                       /* its first own option is WAIT_OPTION              */
};

enum { WAIT_OPTION = REMOTE_OPTIONS };
#define WAIT_OPTION_ROW [WAIT_OPTION] = {"wait", 'w', NULL, NULL, WAIT_HELP}

/* For commands whose `arg` is a struct request_command: sends a request for each operand. */
int request_command_call(struct remote *remote, const struct args *args);

/* Prints an answer in the format of -o. */
int request_command_print(struct remote *remote, const struct request_command *desc,
                          const struct remote_answer *answer, const char *name);

/* Sends a request, and prints the answer about `name`. */
int request_command_send(struct remote *remote, const struct request_command *desc,
                         const struct remote_request *request, const char *name);

/* Describes a list command; the command's `arg`. */
struct lister {
    const char *kind; /* "schedules"                                            */
    const char *tail; /* follows the operand in the path; NULL: no operand      */
    const struct view *view;
};

int lister_call(struct remote *remote, const struct args *args);

/* Options of commands that have none of their own. */
extern const struct option plain_options[REMOTE_OPTIONS];
extern const struct option list_options[LIST_OPTIONS];

#define PLAIN      OPTIONS(plain_options)
#define ONE_NAME   .counts_operands = true, .least = 1, .most = 1
#define SOME_NAMES .counts_operands = true, .least = 1, .most = INT_MAX
#define NO_NAME    .counts_operands = true, .least = 0, .most = 0

/* A command that sends a request for each name, and one that prints a list. */
#define REQUEST(rows, ...)                                  \
    OPTIONS(rows), SOME_NAMES, CALLS(request_command_call), \
        .arg = &(const struct request_command)              \
    {                                                       \
        __VA_ARGS__                                         \
    }
#define LISTER(rows, ...)                                                     \
    OPTIONS(rows), NO_NAME, CALLS(lister_call), .arg = &(const struct lister) \
    {                                                                         \
        __VA_ARGS__                                                           \
    }
