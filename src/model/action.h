/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run does: call a URL, start a program, wait in a queue for a worker, start a workflow.
 *
 * Plain data.  The code that filled in strings and lists owns them (usually an arena).  Texts
 * may contain templates; after filling them in, check the result again with action_check.h.
 */
#pragma once

#include <stdint.h>

#include "model/member.h"
#include "model/pairs.h"
#include "model/texts.h"

enum {
    ACTION_NAME_MAX = 1000, /* bytes of the name of a queue, workflow, upstream or key */
    ACTION_ID_MAX = 1000,   /* bytes of a workflow id or correlation id, as in Temporal */
    /* Bytes of JSON of an input; pass larger data by reference. */
    ACTION_INPUT_MAX = 256 * 1024,
    /* The same for a workflow: 2 MiB of payloads, the limit of Temporal, in base64. */
    WORKFLOW_INPUT_MAX = 3 << 20,
    /* Bytes of a whole action as JSON, which is read at every start. */
    ACTION_BYTES_MAX = 512 * 1024,
    WORKFLOW_BYTES_MAX = 4 << 20,

    HTTP_METHOD_MAX = 32,
    HTTP_URL_MAX = 8 * 1024, /* what servers accept as a request line */
    HTTP_HEADERS_MAX = 64,   /* servers usually accept 100; Belfry adds its own */
    HTTP_HEADER_NAME_MAX = 128,
    HTTP_HEADER_VALUE_MAX = 8 * 1024, /* access tokens can be this long */
    HTTP_SUCCESS_MAX = 16,            /* ranges of status codes */
    HTTP_REDIRECTS_MAX = 3,           /* each hop is checked again; more is a loop */
    HTTP_KEEP_BYTES = 100 * 1024,     /* default: bytes of an answer to store with the run */
    HTTP_KEEP_BYTES_MAX = 1 << 20,    /* each call holds them in memory */
    HTTP_KEEP_HEADERS_MAX = 32,

    EXEC_ARGS_MAX = 256,
    EXEC_ARG_BYTES_MAX = 32 * 1024, /* a quarter of what Linux accepts for one argument */
    EXEC_ENV_MAX = 128,
    EXEC_ENV_NAME_MAX = 128,
    EXEC_PATH_MAX = 4095, /* PATH_MAX without the terminating zero */
    EXEC_USER_MAX = 32,   /* the limit of useradd */
};

#define HTTP_TIMEOUT_MIN         SPAN_S          /* a shorter one is a mistake */
#define HTTP_TIMEOUT_MAX         SPAN_DAY        /* use a queue for work that takes longer */
#define HTTP_CONNECT_TIMEOUT_MIN (100 * SPAN_MS) /* a round trip around the world */
#define HTTP_CONNECT_TIMEOUT_MAX (5 * SPAN_MIN)  /* kernels give up by then */
#define EXEC_KILL_AFTER_MAX      SPAN_H
#define EXEC_CPU_MIN             SPAN_S /* the kernel counts whole seconds */
#define EXEC_CPU_MAX             (366 * SPAN_DAY)
#define EXEC_BYTES_MAX           (INT64_C(1) << 50) /* a petabyte: more than any machine has */
/* files, processes: the kernel's usual maximum */
#define EXEC_COUNT_MAX INT64_C(1048576)

enum action_type { ACTION_HTTP, ACTION_EXEC, ACTION_QUEUE, ACTION_WORKFLOW, ACTION_COUNT };

struct status_range {
    int16_t low, high; /* inclusive */
};

struct http_action {
    struct str method, url;
    struct pairs headers;
    /* JSON; a string is sent as its text, other values as JSON; empty: no body */
    struct str body;
    span timeout, connect_timeout;
    struct status_range success[HTTP_SUCCESS_MAX];
    int success_count;
    int32_t redirects;
    struct str sign; /* name of the signing key; empty: not signed */
    int32_t keep_bytes;
    struct texts keep_headers;
};

/* A member that is 0: the limit of the server applies. */
struct exec_limits {
    span cpu;
    int64_t memory, file_size, open_files, processes;
};

struct exec_action {
    struct texts argv;
    struct str cwd; /* empty: the server chooses */
    struct pairs env;
    struct str user; /* empty: the server's user */
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
    struct str header, memo, search_attributes; /* JSON of {name: payload}; empty: {} */
    struct str temporal; /* the rest of a Temporal client's action, as its message in base64 */
    /* the rest of a Conductor client's start request, as JSON; empty: {} */
    struct str conductor;
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

/* Returns whether an answer with this status is a success. */
bool http_action_succeeds(const struct http_action *http, int status);
