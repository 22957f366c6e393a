/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a text into pieces; for template.c and template_fill.c only. */
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

/* A part of a text: literal characters, or a value. */
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
 * Reads the next piece; reader->at must be before the end of the text.  Errors give the byte.
 */
MUST_USE enum rc template_piece(struct reader *reader, struct piece *ret, struct err *reterr);

/* Removes ".key" or "[12]" from the front of a nonempty path; a step into a list has no key. */
bool template_step(struct str *path, struct str *ret_key, int64_t *ret_index);

/* The text contains `${`: a template, or `$${`. */
bool template_is_in(struct str text);
