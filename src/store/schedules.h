/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table schedules: what users write.  Statements are queued; see store/cursors.h.
 *
 * A deleted schedule keeps its row until its history is pruned, because history is found by it.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

struct schedule_row {
    int64_t id, namespace, version;
    instant deleted_at;                      /* 0: not deleted */
    struct str packed;                       /* core/plan.h */
    struct str action, name, spec, policies; /* JSON except name */
    struct str governor, labels, extra;      /* JSON or empty */
    struct str description, reason;          /* reason: of the pause, or a note */
    int64_t dialect;
    instant created_at, updated_at;
    struct str created_by, updated_by;
    struct str hint_reason; /* of the cursor's current or last hint */
    instant edited_at;      /* when action or spec last changed; set by the update; 0: never */
};

/* changed is 0 if the name is taken. */
void schedules_insert(struct db *db, const struct schedule_row *row, struct db_result *ret);
/*
 * Writes everything except id, namespace, name, dialect, reasons, created_* and deleted_at;
 * changed is 0 if the stored version is not `version`.
 */
void schedules_update(struct db *db, const struct schedule_row *row, int64_t version,
                      struct db_result *ret);
void schedules_set_reason(struct db *db, int64_t id, int64_t version, struct str reason,
                          instant now, struct str by);
void schedules_set_hint(struct db *db, int64_t id, struct str reason);
void schedules_mark_deleted(struct db *db, int64_t id, instant now, struct str by);

/* (id) of a schedule that is not deleted. */
void schedules_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
/* (id) of the newest schedule that had this name, while its history may still be kept. */
void schedules_find_deleted(struct db *db, int64_t namespace, struct str name,
                            struct db_result *ret);

/* (id, dialect): likewise, with the dialect that created it. */
void schedules_find_dialect(struct db *db, int64_t namespace, struct str name,
                            struct db_result *ret);

/* (count) of a namespace's schedules, counted up to `most`. */
void schedules_count(struct db *db, int64_t namespace, int64_t most, struct db_result *ret);

/* What a start needs: (version, packed, action, namespace, name). */
enum { PLAN_VERSION, PLAN_PACKED, PLAN_ACTION, PLAN_NAMESPACE, PLAN_NAME };
void schedules_plan(struct db *db, int64_t id, struct db_result *ret);

/* The whole row, deleted or not. */
void schedules_get(struct db *db, int64_t id, struct db_result *ret);
void schedules_read(const struct db_result *result, int row, struct schedule_row *ret);
