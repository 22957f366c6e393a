/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests ask and are answered, written down for whoever judges it.
 *
 * One line of JSON for each exchange, in a file of the program's own below the directory that
 * BELFRY_ANSWERS names; without it nothing is written.  test/openapi/answers.mjs reads them.
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
