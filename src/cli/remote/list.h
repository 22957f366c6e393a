/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List commands: their options and filters, fetching pages and printing them.
 */
#pragma once

#include "cli/remote/view.h"

/* A list command's own options begin with these; its filters follow at LIST_OPTIONS. */
enum list_option { LIST_LIMIT = REMOTE_OPTIONS, LIST_CURSOR, LIST_ALL, LIST_OPTIONS };

#define LIST_OPTION_ROWS                                                                       \
    [LIST_LIMIT] = {"limit", 'n', "N", "maximum number of items (default 100, maximum 1000)"}, \
    [LIST_CURSOR] = {"cursor", '\0', "CURSOR", "continue from a previous page"},               \
    [LIST_ALL] = {"all", 'a', NULL, "print all pages; with -o json as one array"}

/* How the value of a filter option becomes a query parameter. */
enum filter_kind {
    FILTER_TEXT,
    FILTER_TIME, /* read with when_read_here() */
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

/* Adds the filters to the query; STATUS_USAGE when a value is invalid. */
int list_filters(const struct args *args, const struct filter *filters, int count,
                 struct buf *path);

/* Fetches the pages of `path`, which may have a query, and prints them. */
int list_print(struct remote *remote, const struct args *args, const struct list *list,
               const char *path);
