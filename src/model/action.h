/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run does: call a URL, start a program, wait in a queue, start a workflow.
 *
 * Plain data.  Strings and lists belong to whoever filled them in (usually an arena).  Texts
 * may hold templates; whoever fills these in checks the result again, with action_check.h.
 */
#pragma once

#include <stdint.h>

#include "model/member.h"

enum {
    ACTION_NAME_MAX = 255, /* bytes of a queue's, workflow's, upstream's or key's name */
    ACTION_ID_MAX = 1000,  /* bytes of a workflow's or correlation id, as Temporal's   */
    ACTION_INPUT_MAX = 256 *
                       1024, /* bytes of JSON: a payload; larger things go by reference  */
    ACTION_BYTES_MAX = 512 *
                       1024, /* bytes of a whole action as JSON: read at every fire      */

    HTTP_METHOD_MAX = 32,
    HTTP_URL_MAX = 8 * 1024, /* what servers take as a request line                       */
    HTTP_HEADERS_MAX = 64,   /* a server's usual limit is 100, ours are added             */
    HTTP_HEADER_NAME_MAX = 128,
    HTTP_HEADER_VALUE_MAX = 8 * 1024, /* one token of a large identity provider            */
    HTTP_SUCCESS_MAX = 16,            /* ranges of status codes                            */
    HTTP_REDIRECTS_MAX = 3,           /* each hop is checked anew; more is a loop          */
    HTTP_KEEP_BYTES = 100 * 1024,
    HTTP_KEEP_BYTES_MAX = 1 << 20, /* of an answer: what one may hold in memory for each call */
    HTTP_KEEP_HEADERS_MAX = 32,

    EXEC_ARGS_MAX = 256,
    EXEC_ARG_BYTES_MAX = 32 * 1024, /* a quarter of what Linux takes for one argument         */
    EXEC_ENV_MAX = 128,
    EXEC_ENV_NAME_MAX = 128,
    EXEC_PATH_MAX = 4095, /* PATH_MAX without the zero */
    EXEC_USER_MAX = 32,   /* as useradd has it */
};

#define HTTP_TIMEOUT_MIN SPAN_S   /* less is not meant                          */
#define HTTP_TIMEOUT_MAX SPAN_DAY /* a call that lasts longer is work for a queue */
#define HTTP_CONNECT_TIMEOUT_MIN \
    (100 * SPAN_MS)                             /* a round trip around the world              */
#define HTTP_CONNECT_TIMEOUT_MAX (5 * SPAN_MIN) /* kernels give up by then                    */
#define EXEC_KILL_AFTER_MAX      SPAN_H         /* between SIGTERM and SIGKILL                */
#define EXEC_CPU_MIN             SPAN_S         /* the kernel counts whole seconds            */
#define EXEC_CPU_MAX             (366 * SPAN_DAY)
#define EXEC_BYTES_MAX           (INT64_C(1) << 50) /* a petabyte: any machine's */
#define EXEC_COUNT_MAX           INT64_C(1048576) /* files, processes: the kernel's usual top */

enum action_type { ACTION_HTTP, ACTION_EXEC, ACTION_QUEUE, ACTION_WORKFLOW, ACTION_COUNT };

struct texts {
    struct str *list;
    int count;
};

struct status_range {
    int16_t low, high; /* inclusive */
};

struct http_action {
    struct str method, url;
    struct pairs headers;
    struct str body; /* JSON; a string is sent as it is, all else as JSON; empty: no body */
    span timeout, connect_timeout;
    struct status_range success[HTTP_SUCCESS_MAX];
    int success_count;
    int32_t redirects;
    struct str sign; /* name of the signing key; empty: not signed */
    int32_t keep_bytes;
    struct texts keep_headers;
};

struct exec_limits {
    span cpu; /* each 0: as the daemon's */
    int64_t memory, file_size, open_files, processes;
};

struct exec_action {
    struct texts argv;
    struct str cwd; /* empty: the daemon's choice */
    struct pairs env;
    struct str user; /* empty: as the daemon */
    struct exec_limits limits;
    span kill_after;
};

struct queue_action {
    struct str queue;
    struct str kind; /* empty: none */
};

struct workflow_action {
    struct str name;
    int32_t version;                                         /* 0: the newest */
    struct str workflow_id, queue, correlation_id, upstream; /* empty: none */
    struct str header, memo, search_attributes; /* JSON of {name: payload}; empty: {}   */
    struct str
        temporal; /* the rest of what Temporal's clients said, as its message in base64 */
    struct str conductor; /* and of what Conductor's said of the start, as JSON; empty: {} */
};

struct action {
    enum action_type type;
    struct str input; /* JSON of an object; empty: {} */
    struct http_action http;
    struct exec_action exec;
    struct queue_action queue;
    struct workflow_action workflow;
};

const char *action_type_text(enum action_type type);

/* Whether an answer with this status is a success. */
bool http_action_succeeds(const struct http_action *http, int status);
