/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that are one request about a thing that is named, described by data.
 */
#pragma once

#include <limits.h>

#include "cli/remote/list.h"

/* An option that becomes a member of the body. */
enum part_kind {
    PART_TEXT,
    PART_NUMBER,
    PART_TIME,
    PART_INSTANT, /* a time that says its offset: whose clock would count is not clear */
    PART_JSON,
    PART_TRUE,
};

struct part {
    int option;
    const char *name;
    enum part_kind kind;
};

/* What a command says when all is well; `name` is what was named. */
typedef void request_command_print_fn(const json_t *answer, const char *name,
                                      const struct when *when, struct printer *out);

struct request_command {
    const char *method; /* NULL: GET                                                */
    const char *kind;   /* "schedules": the path is /api/v1/schedules/NAME and tail  */
    const char *tail;   /* "/pause"; NULL: none                                     */
    const struct filter *filters;
    int filter_count;
    const struct part *parts; /* NULL: no body but an empty one, unless it is GET or DELETE */
    int part_count;
    const struct view *view;         /* how the answer is shown: by this, */
    request_command_print_fn *print; /* or by this                        */
    bool starts_run; /* unless the overlap policy skips it: then the status is 75 */
};

#define PARTS(array) .parts = (array), .part_count = sizeof(array) / sizeof(array)[0]

/* For commands whose `with` is a struct request_command: asks for each operand. */
int request_command_run(const struct args *args);

/* The body of the options; NULL when one is wrong, which is told. */
json_t *body_from_options(const struct args *args, const struct part *parts, int count);

/* Of an option that takes JSON, or @FILE that holds it; NULL: told. */
json_t *json_argument(const struct args *args, int option);

/* All of a file, or of standard input for "-"; free() it.  NULL: told. */
char *read_whole(const char *path, size_t *ret_len);

/* Prints an answer in the form that was asked for; `say` or `view` for a table. */
int request_command_print(struct remote *remote, const struct request_command *desc,
                          const struct remote_answer *answer, const char *name);

/* For commands whose `with` is a struct lister. */
struct lister {
    const char *kind; /* "schedules"                                        */
    const char *tail; /* behind the name that is the operand; NULL: no name */
    struct list list;
};

int lister_run(const struct args *args);

/* What commands without options of their own have. */
extern const struct option plain_options[REMOTE_OPTIONS];
extern const struct option list_options[LIST_OPTIONS];

#define PLAIN \
    .options = plain_options, .option_count = REMOTE_OPTIONS, .own_from = REMOTE_OPTIONS
#define OPTIONS(array)                                                    \
    .options = (array), .option_count = sizeof(array) / sizeof(array)[0], \
    .own_from = REMOTE_OPTIONS
#define ONE_NAME   .counts_operands = true, .least = 1, .most = 1
#define SOME_NAMES .counts_operands = true, .least = 1, .most = INT_MAX
#define NO_NAME    .counts_operands = true, .least = 0, .most = 0
