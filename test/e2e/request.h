/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP requests to a server, each on its own connection.
 *
 * In bodies ' is replaced by ", so that JSON is readable in C.
 */
#pragma once

#include "server.h"

struct answer {
    int status;   /* 0: the connection ended without an answer                */
    json_t *json; /* the parsed body, kept by the world; NULL: not JSON       */
};

/* `body` is a printf format; NULL: no body. */
struct answer ask(struct server *server, const char *method, const char *path, const char *body,
                  ...) PRINTF(4, 5);

/* The same; fails the test if the status differs. */
json_t *api(struct server *server, int status, const char *method, const char *path,
            const char *body, ...) PRINTF(5, 6);

/* The same in two parts: sends the request and returns the descriptor; reads the answer. */
int request_begin(const struct server *server, const char *method, const char *path,
                  const char *body, ...) PRINTF(4, 5);
struct answer request_end(struct server *server, int fd);
/* The same in three parts: connects; sends a request without its last line; sends that line. */
int request_connect(const struct server *server);
void request_send_head(int fd, const char *method, const char *path);
void request_send_rest(int fd);
/* True if a part of the answer has arrived. */
bool request_is_answered(int fd);

/* The value at a path such as "a.b[2].c"; the test fails if it is absent. */
const json_t *at(const json_t *json, const char *path);
const char *text_at(const json_t *json, const char *path);
int64_t number_at(const json_t *json, const char *path);

/* ---- frequent requests ---- */

/* POST /api/v1/schedules with `{'id':…,BODY}`; the status must be 201. */
void make_schedule(struct server *server, const char *id, const char *body, ...) PRINTF(3, 4);
/* Triggers a run of the schedule; returns the run's id. */
const char *trigger(struct server *server, const char *id);
/* The runs that a worker gets within `wait`. */
const json_t *claim(struct server *server, const char *queue, int max, const char *wait);
/* POST /api/v1/runs/{id}/{verb} with `{'fence':…EXTRA}`. */
struct answer tell_run(struct server *server, const char *verb, const json_t *run,
                       const char *extra);
/* The member `state` of GET /api/v1/schedules/{id}. */
const json_t *schedule_state(struct server *server, const char *id);
