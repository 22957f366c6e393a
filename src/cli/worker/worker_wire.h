/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON between a worker and its server.
 *
 * Nothing is sent here.  A server's answer is not trusted: reading it gives values within the
 * limits below, or an error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/instant.h"
#include "cli/worker/worker_text.h"
#include "wire/json/json.h"

enum {
    WIRE_ID_MAX = 64,             /* bytes of a run's id; Belfry's have 32                  */
    WIRE_NAME_MAX = 1000,         /* of schedules, queues, namespaces                       */
    WIRE_OUTPUT_MAX = 100 << 10,  /* bytes of output in a text result                       */
    WIRE_RESULT_MAX = 256 << 10,  /* bytes of a result as JSON: the server's limit          */
    WIRE_RESULT_VALUES = 1 << 16, /* JSON values; half of the server's limit for a request  */
    WIRE_RESULT_DEPTH = JSON_DEPTH_MAX - 4, /* a result is nested four deep in its request  */
};

/* The runs of a claim's answer, as unparsed JSON. */
struct grants {
    struct str rest; /* the text after the last run that was read */
};

/* Finds the list of runs; then each call of grants_next() returns one, false at the end. */
MUST_USE enum rc grants_read(struct str answer, struct grants *ret, struct err *reterr);
bool grants_next(struct grants *grants, struct str *ret_run);

/* A claimed run; its texts are valid as long as `json`. */
struct grant {
    json_t *json;
    struct str id;
    int64_t fence, attempt;
    struct str namespace, schedule, queue, slot; /* empty: none        */
    instant lease_until;                         /* INSTANT_NONE: none */
};

/* After success the caller must call grant_free(). */
MUST_USE enum rc grant_read(struct str run, struct grant *ret, struct err *reterr);
void grant_free(struct grant *grant);

/* The server's result for one item of a batch. */
enum verdict {
    VERDICT_OK,
    VERDICT_STALE,   /* the run no longer belongs to this worker      */
    VERDICT_AGAIN,   /* the same item may be accepted later           */
    VERDICT_REFUSED, /* it will never be accepted; `text` says why    */
};

struct item_answer {
    enum verdict verdict;
    bool is_cancelled; /* the run should stop */
    struct str text;   /* valid as long as the answer's JSON */
};

/*
 * The results of the `count` items of a batch, in their order; NULL with an error when the
 * answer does not have them.  The answer may omit the results of items that were ok, and give
 * only the number of these items.
 */
json_t *results_read(struct str answer, int count, struct err *reterr);
struct item_answer results_at(const json_t *results, int i);

/* Copies the message of a problem document into `text`; nothing if `answer` is not one. */
void problem_text(struct str answer, struct buf *text);

/*
 * Appends a program's output as the value of "result": as JSON if it is one JSON value that
 * the server accepts, else {"output": text} with its beginning; nothing if it is blank.
 * Returns an upper bound of its number of JSON values.
 */
int result_add(struct text *text, struct str output, bool is_whole);
