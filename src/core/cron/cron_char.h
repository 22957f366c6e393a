/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds and reports bytes that a cron text may not contain: control characters and non-ASCII.
 *
 * Pure.  Texts come from web pages and word processors, which often replace `-` and blanks by
 * similar characters; the message says which character to type.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* The first byte of `text` that is not printable ASCII; NULL if there is none. */
const char *cron_find_bad_byte(struct str text);

/* The error for the byte at `at` of a text that ends at `end`; columns count from `origin`. */
enum rc cron_reject_byte(const char *origin, const char *at, const char *end,
                         struct err *reterr);
