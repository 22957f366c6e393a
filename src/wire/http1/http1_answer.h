/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses answers of HTTP/1.0 and 1.1 with the parser of requests, http1_feed(), as strictly.
 *
 * HTTP1_HEAD sets http1.code and the fields of http1.request.  Trailers are ignored.
 */
#pragma once

#include "wire/http1/http1.h"

/* Prepares for an answer; `room` has HTTP1_ROOM bytes. */
void http1_answer_begin(struct http1 *p, char *room, bool is_to_head);

/* After HTTP1_HEAD: another answer to the same request follows (1xx). */
bool http1_answer_is_interim(const struct http1 *p);

/* The announced length of the body, also of an answer to HEAD; -1: none. */
int64_t http1_answer_length(const struct http1 *p);

/* Whether the end of the connection completes the answer. */
bool http1_answer_ends_here(const struct http1 *p);

/* After HTTP1_DONE: another request may use the connection. */
bool http1_answer_keeps_open(const struct http1 *p);
