/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of the API: pages, filters, and the form in which they are printed.
 */
#pragma once

#include "cli/remote/view.h"

/* A list command's own options begin with these. */
enum list_option {
    LIST_LIMIT = REMOTE_OPTIONS,
    LIST_CURSOR,
    LIST_ALL,
    LIST_OPTIONS /* where filters begin */
};

#define LIST_OPTION_ROWS                                                              \
    [LIST_LIMIT] = {"limit", 'n', "N", "at most so many; default 100, at most 1000"}, \
    [LIST_CURSOR] = {"cursor", '\0', "CURSOR", "go on where a former list ended"},    \
    [LIST_ALL] = {"all", 'a', NULL, "all pages; with -o json as one array of the items"}

/* An option whose value becomes a parameter of the query. */
enum filter_kind {
    FILTER_TEXT,
    FILTER_TIME, /* what when_read() reads */
};

struct filter {
    int option;
    const char *name;
    enum filter_kind kind;
};

struct list {
    const struct view *view;
    const struct filter *filters;
    int filter_count;
};

#define FILTERS(array) .filters = (array), .filter_count = sizeof(array) / sizeof(array)[0]

/* Puts the filters into the query; STATUS_USAGE when a value is wrong. */
int list_filters(const struct args *args, const struct filter *filters, int count,
                 struct buf *path);

/* Asks for the pages of `path`, which may have a query, and prints them. */
int list_print(struct remote *remote, const struct args *args, const struct list *list,
               const char *path);
