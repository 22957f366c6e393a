/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker and its server say to each other, as bytes.
 *
 * Nothing is sent here.  A server's answer is not trusted: whatever it holds, reading it ends
 * in values within the bounds below or in an error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/instant.h"
#include "cli/worker/worker_text.h"
#include "wire/json/json.h"

enum {
    WIRE_ID_MAX = 64,    /* bytes of a run's id; ours have 32                           */
    WIRE_NAME_MAX = 255, /* of schedules, queues, namespaces                            */
    WIRE_OUTPUT_MAX = 100 << 10,  /* bytes of output that become a result as text            */
    WIRE_RESULT_MAX = 256 << 10,  /* of a result as JSON: what a server takes                */
    WIRE_RESULT_VALUES = 1 << 16, /* half of what a server reads of a request as a whole     */
    WIRE_RESULT_DEPTH = JSON_DEPTH_MAX - 4, /* a result lies four deep in its request        */
};

/* The runs of a claim's answer, one after the other, as they were written. */
struct grants {
    struct str rest; /* behind the last run that was taken */
};

MUST_USE enum rc grants_read(struct str answer, struct grants *ret, struct err *reterr);
bool grants_next(struct grants *grants, struct str *ret_run);

/* A run that was granted; its texts live as long as `json`. */
struct grant {
    json_t *json;
    struct str id;
    int64_t fence, attempt;
    struct str namespace, schedule, queue, slot; /* empty: it has none            */
    instant lease_until;                         /* INSTANT_NONE: it does not say */
};

/* On success the caller owes grant_free(). */
MUST_USE enum rc grant_read(struct str run, struct grant *ret, struct err *reterr);
void grant_free(struct grant *grant);

/* What the server says of one item of a batch. */
enum verdict {
    VERDICT_OK,
    VERDICT_STALE,   /* the run is not ours any more              */
    VERDICT_AGAIN,   /* the very same thing may be taken later    */
    VERDICT_REFUSED, /* it never will; the text says why          */
};

struct item_answer {
    enum verdict verdict;
    bool is_cancelled; /* the run should stop */
    struct str text;   /* lives as long as the answer's JSON */
};

/*
 * A result for each of the `count` items of a batch, in their order; NULL with an error when
 * the answer does not have them.  It may leave out those that were ok, and count them.
 */
json_t *results_read(struct str answer, int count, struct err *reterr);
struct item_answer results_at(const json_t *results, int i);

/* What a problem says for people; empty when `answer` is none.  Copied into `text`. */
void problem_text(struct str answer, struct buf *text);

/*
 * What a program printed as the value of "result": itself when it is one value of JSON that a
 * server takes, else {"output": text} with its beginning.  Adds nothing when all is blank.
 * Returns how many values of JSON it has at most.
 */
int result_add(struct text *text, struct str output, bool is_whole);
