/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of template share: a text in pieces.  Nobody else includes it.
 */
#pragma once

#include "model/template.h"

enum value {
    VALUE_SCHEDULED_TIME,
    VALUE_EXECUTION_TIME,
    VALUE_SCHEDULED_MS,
    VALUE_EXECUTION_MS,
    VALUE_SCHEDULE,
    VALUE_NAMESPACE,
    VALUE_RUN,
    VALUE_ATTEMPT,
    VALUE_FENCE,
    VALUE_INPUT, /* from here on a path may follow */
    VALUE_LAST_RESULT,
    VALUE_LAST_FAILURE,
    VALUE_COUNT
};

/* A part of a text: characters as they are, or a value. */
struct piece {
    bool is_value;
    struct str text;
    enum value value;
    struct str path; /* ".a.b[0]", or empty */
};

struct reader {
    struct str text;
    size_t at;
};

/*
 * The next piece; only while reader->at is before the end of its text.  Errors have the byte.
 */
MUST_USE enum rc template_piece(struct reader *reader, struct piece *ret, struct err *reterr);

/* Takes ".key" or "[12]" off a path that is not empty; a step into a list has no key. */
bool template_step(struct str *path, struct str *ret_key, int64_t *ret_index);

bool template_is_in(struct str text);
