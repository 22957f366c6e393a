/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List commands: their options, fetching pages and printing them.
 */
#pragma once

#include "cli/remote/view.h"

/* A list command's own options begin with these; its filters follow at LIST_OPTIONS. */
enum list_option { LIST_LIMIT = REMOTE_OPTIONS, LIST_CURSOR, LIST_ALL, LIST_OPTIONS };

#define LIST_OPTION_ROWS                                                                \
    [LIST_LIMIT] = {"limit", 'n', "N", NULL, "number of items to print (default 100)"}, \
    [LIST_CURSOR] = {"cursor", '\0', "CURSOR", NULL, "continue from a previous page"},  \
    [LIST_ALL] = {"all", 'a', NULL, NULL, "print all pages; with -o json as one array"}

/* Fetches the pages of `path`, which may have a query, and prints them. */
int list_print(struct remote *remote, const struct args *args, const struct view *view,
               const char *path);
