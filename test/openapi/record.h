/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records the requests and answers of tests for test/openapi/answers.mjs.
 *
 * Each program writes one line of JSON per exchange to a file of its own in the directory that
 * BELFRY_ANSWERS names.  Without this variable nothing is written.
 */
#pragma once

#include "base/str.h"

struct exchange_record {
    const char *what; /* "GET /api/v1/schedules?limit=1" */
    const char *body; /* of the request */
    int status;
    const char *content_type;
    struct str answer;
};

void record_exchange(const struct exchange_record *record);
