/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database of the test server and the engine on it.
 */
#pragma once

#include "api/call/operation.h"
#include "base/err.h"

/* Opens an empty database and registers an engine on it. */
void world_open(void);
int world_close(void);

/* A new connection that only reads. */
struct db *world_connect(void);

/* The catalogue of the server, for struct api_context; up to date. */
bool world_query_catalogue(void *arg, const struct catalogue_query *query,
                           struct budget *budget, struct arena *arena,
                           struct catalogue_page *ret);
void world_follow_events(void);
const struct tz_now *world_list_zones(void *user, instant now, struct arena *arena,
                                      int *ret_count, const char **ret_version);
void world_ledger_balance(void *arg, int64_t namespace, struct arena *arena,
                          struct ledger_balance *ret);
bool world_visit_catalogue(void *arg, struct catalogue_visit *visit, struct budget *budget);
void world_close_catalogue(void);

/* Fails the test with the message unless `rc` is RC_OK. */
void world_must(enum rc rc, const struct err *err);

/* The read of a call, as a reader of the server performs it; the second has a budget. */
enum call_step world_read(struct call *call);
enum call_step world_read_within_budget(struct call *call);
