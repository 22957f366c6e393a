/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that send one request per named object, described by data instead of code.
 */
#pragma once

#include <limits.h>

#include "cli/remote/list.h"
#include "cli/remote/request_options.h"

/* Prints the answer of a successful request; `name` is the operand. */
typedef void request_command_print_fn(const json_t *answer, const char *name,
                                      const struct when *when, struct printer *out);

/* Prints that something was done, such as "deleted", with details from the answer. */
typedef void request_command_done_fn(const char *done, const json_t *answer,
                                     const struct when *when, struct printer *out);

struct request_command {
    const char *method;      /* NULL: GET, with the options in the query; DELETE has none */
    const char *kind;        /* "schedules": the path is /api/v1/schedules/NAME and tail   */
    const char *tail;        /* "/pause"; NULL: none                                      */
    const struct view *view; /* how the answer is shown: by this, */
    request_command_print_fn *print;     /* or by this,                       */
    const char *done;                    /* or as "NAME: deleted", by         */
    request_command_done_fn *print_done; /* this if it is set                 */
    bool starts_run;                     /* exits with 75 if the overlap policy skips the run */
};

/* For commands whose `arg` is a struct request_command: sends a request for each operand. */
int request_command_call(struct remote *remote, const struct args *args);

/* Prints an answer in the format of -o; a table uses `print` or `view`. */
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
