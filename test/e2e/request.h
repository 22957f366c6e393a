/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to a daemon over HTTP, each on a connection of its own.
 *
 * In bodies ' stands for ", so that JSON can be read in C.
 */
#pragma once

#include "server.h"

struct answer {
    int status;   /* 0: the connection ended without an answer          */
    json_t *json; /* of the body, NULL: it is none; kept by the world   */
};

/* `body` is a format of printf, NULL: none. */
struct answer ask(struct server *server, const char *method, const char *path, const char *body,
                  ...) PRINTF(4, 5);

/* The same, and the status must be this. */
json_t *api(struct server *server, int status, const char *method, const char *path,
            const char *body, ...) PRINTF(5, 6);

/* The same in two parts, so that something can happen in between.  The descriptor is open. */
int request_begin(const struct server *server, const char *method, const char *path,
                  const char *body, ...) PRINTF(4, 5);
struct answer request_end(struct server *server, int fd);
/* The same in three: connected; all of a request without a body but its last line; that. */
int request_connect(const struct server *server);
void request_send_head(int fd, const char *method, const char *path);
void request_send_rest(int fd);
/* Whether a part of the answer is there already. */
bool request_is_answered(int fd);

/* "a.b[2].c" of JSON; the test fails when it is not there. */
const json_t *at(const json_t *json, const char *path);
const char *text_at(const json_t *json, const char *path);
int64_t number_at(const json_t *json, const char *path);

/* ---- what tests say often ---- */

/* POST /api/v1/schedules with `{'id':…,BODY}`, then 201. */
void make_schedule(struct server *server, const char *id, const char *body, ...) PRINTF(3, 4);
/* A run of it; its id. */
const char *trigger(struct server *server, const char *id);
/* The runs that a worker gets within `wait`. */
const json_t *claim(struct server *server, const char *queue, int max, const char *wait);
/* POST /api/v1/runs/{id}/{verb} with `{'fence':…EXTRA}`. */
struct answer tell_run(struct server *server, const char *verb, const json_t *run,
                       const char *extra);
/* Its `state` of GET /api/v1/schedules/{id}. */
const json_t *schedule_state(struct server *server, const char *id);
