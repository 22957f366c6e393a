/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of schedules that the catalogue of the node sorts, filters and counts.
 *
 * The rows of a page are read from the database: their values are current, their order is that
 * of the catalogue.
 */
#pragma once

#include "api/catalogue/catalogue_query.h"
#include "api/catalogue/catalogue_visit.h"
#include "api/schedules/schedule_scan.h"

/* The parameters in addition to those of other lists. */
enum { CATALOGUE_LIST_NAMES = 4 };
extern const char *const catalogue_list_names[CATALOGUE_LIST_NAMES];

struct catalogue_list {
    struct catalogue_query query;
    struct schedule_scan scan; /* page, filter and fields; the caller sets how to print */
};

/* True if the request has a parameter that only the catalogue can answer; for begin(). */
bool catalogue_list_is_wanted(const struct call *call);

MUST_USE enum rc catalogue_list_begin(struct call *call, struct catalogue_list *ret,
                                      struct err *reterr);

/* Answers with a page. */
enum call_step catalogue_list_read(struct call *call, struct db *db,
                                   const struct catalogue_list *list);

/* The filter of a request; health, outcome and zone need the catalogue. */
MUST_USE enum rc catalogue_list_filter(const struct call *call,
                                       const struct schedule_filter *from,
                                       struct catalogue_filter *ret, struct err *reterr);

/* The answer if the server has no catalogue, or if it is not loaded yet. */
enum call_step catalogue_list_refuse(struct call *call, const struct catalogue_page *page);
