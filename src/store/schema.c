/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The released migrations; their names and statements must never change.
 *
 * There are no foreign keys, checks or triggers: the engine checks a command before it writes,
 * and the row count shows what a statement did.  The engine makes the keys.  The numbers in
 * partial indexes are enum run_state, LANE_PULL and INSTANT_NEVER.
 */
#include "store/schema.h"

/* What users write; read by key when a schedule is due. */
#define SCHEDULES                                                                 \
    "CREATE TABLE schedules ("                                                    \
    " id {int} PRIMARY KEY, namespace {int} NOT NULL, version {int} NOT NULL,"    \
    " deleted_at {int} NOT NULL, packed {blob} NOT NULL, action {text} NOT NULL," \
    " name {text} NOT NULL, spec {text} NOT NULL, policies {text} NOT NULL,"      \
    " governor {text}, labels {text}, extra {text}, description {text} NOT NULL," \
    " dialect {int} NOT NULL, reason {text},"                                     \
    " created_at {int} NOT NULL, created_by {text} NOT NULL,"                     \
    " updated_at {int} NOT NULL, updated_by {text} NOT NULL) {strict};"           \
    "CREATE UNIQUE INDEX schedules_name ON schedules (namespace, name)"           \
    " WHERE deleted_at = 0;"                                                      \
    "CREATE INDEX schedules_deleted ON schedules (id) WHERE deleted_at > 0;"

/* What the engine changes: integers only, one index. */
#define CURSORS                                                                         \
    "CREATE TABLE cursors ("                                                            \
    " id {int} PRIMARY KEY, wake_at {int} NOT NULL, mark {int} NOT NULL,"               \
    " next_at {int} NOT NULL, version {int} NOT NULL, bits {int} NOT NULL,"             \
    " paused_until {int} NOT NULL, open {int} NOT NULL, waiting {int} NOT NULL,"        \
    " failures {int} NOT NULL, remaining {int} NOT NULL, pass {int} NOT NULL,"          \
    " backfills {int} NOT NULL, last_slot {int} NOT NULL, last_start {int} NOT NULL,"   \
    " last_end {int} NOT NULL, active_at {int} NOT NULL, hint_interval {int} NOT NULL," \
    " hint_at {int} NOT NULL, hint_expires {int} NOT NULL, started {int} NOT NULL,"     \
    " skipped {int} NOT NULL, missed {int} NOT NULL, dropped {int} NOT NULL,"           \
    " cancelled {int} NOT NULL, succeeded {int} NOT NULL, failed {int} NOT NULL)"       \
    " {strict};"                                                                        \
    "CREATE INDEX cursors_wake ON cursors (wake_at, id);"

/* Open runs.  The index runs_ready has only ready ones, and runs_gated only gated ones. */
#define RUNS                                                                         \
    "CREATE TABLE runs ("                                                            \
    " id {int} PRIMARY KEY, schedule {int} NOT NULL, slot {int} NOT NULL,"           \
    " pass {int} NOT NULL, state {int} NOT NULL, lane {int} NOT NULL,"               \
    " queue {int} NOT NULL, gate {int} NOT NULL, bits {int} NOT NULL,"               \
    " due {int} NOT NULL, rank {int} NOT NULL, attempt {int} NOT NULL,"              \
    " fence {int} NOT NULL, node {int} NOT NULL, lease_until {int} NOT NULL,"        \
    " wake_at {int} NOT NULL, created_at {int} NOT NULL, started_at {int} NOT NULL," \
    " attempt_at {int} NOT NULL, worker {text}, input {text},"                       \
    " progress {text}) {strict};"                                                    \
    "CREATE UNIQUE INDEX runs_slot ON runs (schedule, slot, pass);"                  \
    "CREATE INDEX runs_ready ON runs (lane, queue, rank, id) WHERE state = 3;"       \
    "CREATE INDEX runs_gated ON runs (gate, rank, id) WHERE state = 4;"              \
    "CREATE INDEX runs_wake ON runs (wake_at, id) WHERE wake_at < 9223372036854775807;"

/* Attempts that ended, in order of their end; slots that were not started. */
#define HISTORY                                                                      \
    "CREATE TABLE history ("                                                         \
    " id {int} PRIMARY KEY, schedule {int} NOT NULL, slot {int} NOT NULL,"           \
    " pass {int} NOT NULL, attempt {int} NOT NULL, fence {int} NOT NULL,"            \
    " bits {int} NOT NULL, outcome {int} NOT NULL, reason {int} NOT NULL,"           \
    " last {int} NOT NULL, due {int} NOT NULL, created_at {int} NOT NULL,"           \
    " started_at {int} NOT NULL, ended_at {int} NOT NULL, expire_at {int} NOT NULL," \
    " queue {int} NOT NULL, node {int} NOT NULL, worker {text}, error {text},"       \
    " result {text}) {strict};"                                                      \
    "CREATE INDEX history_schedule ON history (schedule, id);"                       \
    "CREATE TABLE ledger ("                                                          \
    " id {int} PRIMARY KEY, schedule {int} NOT NULL, pass {int} NOT NULL,"           \
    " first {int} NOT NULL, last {int} NOT NULL, count {int} NOT NULL,"              \
    " outcome {int} NOT NULL, reason {int} NOT NULL, written_at {int} NOT NULL,"     \
    " expire_at {int} NOT NULL) {strict};"                                           \
    "CREATE UNIQUE INDEX ledger_slot ON ledger (schedule, pass, first);"             \
    "CREATE TABLE results ("                                                         \
    " schedule {int} PRIMARY KEY, result {text}, failure {text}) {strict};"

/* Optional rows of a schedule, and named objects. */
#define SCHEDULE_PARTS                                                             \
    "CREATE TABLE exceptions ("                                                    \
    " schedule {int} NOT NULL, slot {int} NOT NULL, created_at {int} NOT NULL,"    \
    " created_by {text} NOT NULL, PRIMARY KEY (schedule, slot)) {strict};"         \
    "CREATE TABLE backfills ("                                                     \
    " id {int} PRIMARY KEY, schedule {int} NOT NULL, pass {int} NOT NULL,"         \
    " from_at {int} NOT NULL, until_at {int} NOT NULL, mark {int} NOT NULL,"       \
    " overlap {int} NOT NULL, started {int} NOT NULL, created_at {int} NOT NULL,"  \
    " created_by {text} NOT NULL) {strict};"                                       \
    "CREATE INDEX backfills_schedule ON backfills (schedule, id);"                 \
    "CREATE TABLE stops ("                                                         \
    " id {int} PRIMARY KEY, node {int} NOT NULL, schedule {int} NOT NULL,"         \
    " slot {int} NOT NULL, pass {int} NOT NULL, fence {int} NOT NULL) {strict};"   \
    "CREATE INDEX stops_node ON stops (node, id);"                                 \
    "CREATE TABLE gates ("                                                         \
    " id {int} PRIMARY KEY, namespace {int} NOT NULL, name {text} NOT NULL,"       \
    " most {int} NOT NULL, open {int} NOT NULL, waiting {int} NOT NULL) {strict};" \
    "CREATE UNIQUE INDEX gates_name ON gates (namespace, name);"                   \
    "CREATE TABLE queues ("                                                        \
    " id {int} PRIMARY KEY, namespace {int} NOT NULL, name {text} NOT NULL,"       \
    " paused {int} NOT NULL) {strict};"                                            \
    "CREATE UNIQUE INDEX queues_name ON queues (namespace, name);"                 \
    "CREATE TABLE calendars ("                                                     \
    " id {int} PRIMARY KEY, namespace {int} NOT NULL, name {text} NOT NULL,"       \
    " version {int} NOT NULL, days {blob} NOT NULL, updated_at {int} NOT NULL)"    \
    " {strict};"                                                                   \
    "CREATE UNIQUE INDEX calendars_name ON calendars (namespace, name);"

/* Nodes, namespaces, stored answers and events. */
#define NODES_AND_EVENTS                                                                 \
    "CREATE TABLE nodes ("                                                               \
    " id {int} PRIMARY KEY, name {text} NOT NULL, boot {int} NOT NULL,"                  \
    " turn {int} NOT NULL, lease_until {int} NOT NULL, key_ms {int} NOT NULL,"           \
    " event {int} NOT NULL, started_at {int} NOT NULL, state {int} NOT NULL) {strict};"  \
    "CREATE UNIQUE INDEX nodes_name ON nodes (name);"                                    \
    "CREATE TABLE namespaces ("                                                          \
    " id {int} PRIMARY KEY, name {text} NOT NULL, settings {text},"                      \
    " created_at {int} NOT NULL) {strict};"                                              \
    "CREATE UNIQUE INDEX namespaces_name ON namespaces (name);"                          \
    "CREATE TABLE requests ("                                                            \
    " namespace {int} NOT NULL, name {text} NOT NULL, print {int} NOT NULL,"             \
    " rc {int} NOT NULL, reply {text} NOT NULL, expire_at {int} NOT NULL,"               \
    " PRIMARY KEY (namespace, name)) {strict};"                                          \
    "CREATE INDEX requests_expire ON requests (expire_at);"                              \
    "CREATE TABLE events ("                                                              \
    " node {int} NOT NULL, seq {int} NOT NULL, count {int} NOT NULL, at {int} NOT NULL," \
    " body {blob} NOT NULL, PRIMARY KEY (node, seq)) {strict};"

/* When the previous run of the schedule started; passed to the holder of the run. */
#define LAST_RUN                                             \
    "ALTER TABLE runs ADD COLUMN last_run_at {int} NOT NULL" \
    " DEFAULT -9223372036854775808;"

/* The output of runs, by position.  The body is last: pruning does not read it. */
#define LOGS                                                                 \
    "CREATE TABLE logs ("                                                    \
    " id {int} PRIMARY KEY, schedule {int} NOT NULL, slot {int} NOT NULL,"   \
    " pass {int} NOT NULL, attempt {int} NOT NULL, at {int} NOT NULL,"       \
    " total {int} NOT NULL, expire_at {int} NOT NULL, body {blob} NOT NULL)" \
    " {strict};"                                                             \
    "CREATE INDEX logs_run ON logs (schedule, slot, pass, total);"

/* Single values by name; tokens; the audit log, see store/audit.h. */
#define SECURITY                                                                         \
    "CREATE TABLE meta (name {text} PRIMARY KEY, value {blob} NOT NULL) {strict};"       \
    "CREATE TABLE tokens ("                                                              \
    " id {int} PRIMARY KEY, namespace {int} NOT NULL, role {int} NOT NULL,"              \
    " name {text} NOT NULL, hash {blob} NOT NULL, created_at {int} NOT NULL,"            \
    " created_by {text} NOT NULL, expires_at {int} NOT NULL, used_at {int} NOT NULL)"    \
    " {strict};"                                                                         \
    "CREATE TABLE audit ("                                                               \
    " node {int} NOT NULL, seq {int} NOT NULL, count {int} NOT NULL, at {int} NOT NULL," \
    " body {blob} NOT NULL, prior {blob} NOT NULL, hash {blob} NOT NULL,"                \
    " PRIMARY KEY (node, seq)) {strict};"                                                \
    "CREATE INDEX audit_at ON audit (at, node, seq);"
/* The reason of an adaptive schedule's hint; lists by last change. */
#define HINT_REASONS                                       \
    "ALTER TABLE schedules ADD COLUMN hint_reason {text};" \
    "CREATE INDEX schedules_updated ON schedules"          \
    " (namespace, updated_at, id) WHERE deleted_at = 0;"

/* The time zones that a namespace uses, and when the next day begins there. */
#define ZONES                                                             \
    "CREATE TABLE zones (id {int} PRIMARY KEY, namespace {int} NOT NULL," \
    " name {text} NOT NULL, next_at {int} NOT NULL) {strict};"            \
    "CREATE UNIQUE INDEX zones_name ON zones (namespace, name);"          \
    "CREATE INDEX zones_next ON zones (next_at, id);"

/* The input of an ended run, so that the run can be repeated. */
#define INPUTS "ALTER TABLE history ADD COLUMN input {text};"

/*
 * Daily statistics, see store/stats.h; namespace, tokens and cost of an attempt; the trace of a
 * run; what nodes report about themselves.
 */
#define STATS                                                                    \
    "ALTER TABLE history ADD COLUMN namespace {int} NOT NULL DEFAULT 0;"         \
    "ALTER TABLE history ADD COLUMN tokens {int} NOT NULL DEFAULT 0;"            \
    "ALTER TABLE history ADD COLUMN cost {int} NOT NULL DEFAULT 0;"              \
    "UPDATE history SET namespace = coalesce((SELECT namespace FROM schedules"   \
    " WHERE schedules.id = history.schedule), 0);"                               \
    "ALTER TABLE runs ADD COLUMN trace_high {int} NOT NULL DEFAULT 0;"           \
    "ALTER TABLE runs ADD COLUMN trace_low {int} NOT NULL DEFAULT 0;"            \
    "ALTER TABLE nodes ADD COLUMN stats {int} NOT NULL DEFAULT 0;"               \
    "ALTER TABLE nodes ADD COLUMN turned_at {int} NOT NULL DEFAULT 0;"           \
    "ALTER TABLE nodes ADD COLUMN skew {int} NOT NULL DEFAULT 0;"                \
    "ALTER TABLE nodes ADD COLUMN version {text} NOT NULL DEFAULT '';"           \
    "ALTER TABLE nodes ADD COLUMN address {text} NOT NULL DEFAULT '';"           \
    "CREATE TABLE stats ("                                                       \
    " day {int} NOT NULL, namespace {int} NOT NULL, schedule {int} NOT NULL,"    \
    " queue {int} NOT NULL, node {int} NOT NULL, runs {int} NOT NULL,"           \
    " succeeded {int} NOT NULL, failed {int} NOT NULL, attempts {int} NOT NULL," \
    " timed {int} NOT NULL, duration {int} NOT NULL, begun {int} NOT NULL,"      \
    " late {int} NOT NULL, late_most {int} NOT NULL, tokens {int} NOT NULL,"     \
    " cost {int} NOT NULL, PRIMARY KEY (day, namespace, schedule, queue, node)){keyed};"

/* The maximum number of a queue's claimed runs (0: no limit), and an index of claimed runs. */
#define LIMITS                                                                 \
    "ALTER TABLE queues ADD COLUMN most {int} NOT NULL DEFAULT 0;"             \
    "CREATE INDEX queues_watched ON queues (id) WHERE paused = 1 OR most > 0;" \
    "CREATE INDEX runs_out ON runs (queue) WHERE state >= 5 AND state <= 6 AND lane = 0;"

/*
 * The index of HINT_REASONS, used only by lists that say `updated_at >= 0`: without table
 * statistics PostgreSQL also chose the old index to find schedules by name, and read them all.
 */
#define CHANGED                                   \
    "DROP INDEX schedules_updated;"               \
    "CREATE INDEX schedules_changed ON schedules" \
    " (namespace, updated_at, id) WHERE deleted_at = 0 AND updated_at >= 0;"

/* When action or spec last changed; 0: not since creation. */
#define EDITED                                                             \
    "ALTER TABLE schedules ADD COLUMN edited_at {int} NOT NULL DEFAULT 0;" \
    "UPDATE schedules SET edited_at = updated_at WHERE version > 1;"

/* The last slot whose run was held: rules that count from starts count from it as well. */
#define HELD                                                  \
    "ALTER TABLE cursors ADD COLUMN last_held {int} NOT NULL" \
    " DEFAULT -9223372036854775808;"

/*
 * The last deleted schedule of a name; when a worker last asked a queue for runs; ended runs of
 * triggers and backfills, whose slot does not tell when they ended.
 */
#define GONE                                                                               \
    "CREATE INDEX schedules_gone ON schedules (namespace, name, id) WHERE deleted_at > 0;" \
    "CREATE INDEX history_extra ON history (schedule, slot, pass) WHERE pass > 0;"         \
    "ALTER TABLE queues ADD COLUMN polled_at {int} NOT NULL"                               \
    " DEFAULT -9223372036854775808;"

/*
 * The progress of backfills.  A backfill that an earlier version has begun goes on; its runs
 * are counted once here.
 */
#define BACKFILL_ADD(column, value) \
    "ALTER TABLE backfills ADD COLUMN " column " {int} NOT NULL DEFAULT " value ";"
#define BACKFILL_COUNT(column, table, test)                                       \
    "UPDATE backfills SET " column " = " column " + (SELECT count(*) FROM " table \
    " AS t WHERE t.schedule = backfills.schedule AND t.pass = backfills.pass AND " test ");"
#define BACKFILL_SET(column, sum) "UPDATE backfills SET " column " = " sum ";"
#define BACKFILLS                                                                   \
    BACKFILL_ADD("stage", "0")                                                      \
    BACKFILL_ADD("flags", "0")                                                      \
    BACKFILL_ADD("slots", "-1")                                                     \
    BACKFILL_ADD("begun", "0")                                                      \
    BACKFILL_ADD("skipped", "0")                                                    \
    BACKFILL_ADD("withdrawn", "0")                                                  \
    BACKFILL_ADD("cancelled", "0")                                                  \
    BACKFILL_ADD("succeeded", "0")                                                  \
    BACKFILL_ADD("failed", "0")                                                     \
    BACKFILL_ADD("ended_at", "9223372036854775807")                                 \
    BACKFILL_COUNT("skipped", "ledger", "t.outcome = 2")                            \
    BACKFILL_COUNT("withdrawn", "ledger", "t.outcome <> 2")                         \
    BACKFILL_COUNT("succeeded", "history", "t.last = 1 AND t.outcome = 10")         \
    BACKFILL_COUNT("failed", "history", "t.last = 1 AND t.outcome IN (11, 12, 15)") \
    BACKFILL_COUNT("cancelled", "history", "t.last = 1 AND t.outcome IN (13, 14)")  \
    BACKFILL_SET("begun", "succeeded + failed + cancelled")                         \
    BACKFILL_COUNT("begun", "runs", "t.state <> 1")                                 \
    BACKFILL_SET("started", "begun + skipped + withdrawn")                          \
    BACKFILL_COUNT("started", "runs", "t.state = 1")

/*
 * Lists of all backfills of a namespace.  Only statements that say `namespace > 0` can use the
 * indexes, see decision 41.
 */
#define BACKFILL_LISTS                                                           \
    "ALTER TABLE backfills ADD COLUMN namespace {int} NOT NULL DEFAULT 0;"       \
    "UPDATE backfills SET namespace = coalesce((SELECT namespace FROM schedules" \
    " WHERE schedules.id = backfills.schedule), 0);"                             \
    "CREATE INDEX backfills_running ON backfills (namespace, id)"                \
    " WHERE namespace > 0 AND stage < 2;"                                        \
    "CREATE INDEX backfills_ended ON backfills (namespace, id)"                  \
    " WHERE namespace > 0 AND stage = 2;"

/* Failed runs whose workflow no upstream has started. */
#define UNSTARTED "ALTER TABLE cursors ADD COLUMN unstarted {int} NOT NULL DEFAULT 0;"

/*
 * Workflows had a maximum run time of one day, which the text of the policies did not show.  A
 * maximum of one day that the owner did set cannot be distinguished.
 */
#define NO_MAXIMUM                                                           \
    "UPDATE schedules SET policies = substr(policies, 1, 1)"                 \
    " || '\"maxRunTime\":\"0s\"' || CASE WHEN length(policies) = 2 THEN ''"  \
    " ELSE ',' END || substr(policies, 2)"                                   \
    " WHERE action LIKE '_\"type\":\"workflow\"%' AND length(policies) >= 2" \
    " AND policies NOT LIKE '%\"maxRunTime\"%';"

/*
 * How the last runs ended, see core/recent.h, the end of the last one that succeeded, and by
 * how much the last automatic run was late; all as far as history tells.  Kind 0 is RUN_SLOT, 4
 * is RUN_TEST.
 */
#define RECENT_KIND "(history.bits & 255)"
#define RECENT_END \
    "CASE WHEN outcome = 10 THEN 1 WHEN outcome IN (11, 12, 15) THEN 2 ELSE 3 END"
#define RECENT_OK                                                            \
    "(SELECT max(ended_at) FROM history WHERE history.schedule = cursors.id" \
    " AND last = 1 AND outcome = 10 AND " RECENT_KIND " <> 4)"
#define RECENT_LATE                                                                   \
    "(SELECT CASE WHEN history.started_at > history.due"                              \
    " THEN history.started_at - history.due ELSE 0 END FROM"                          \
    " (SELECT slot FROM history WHERE history.schedule = cursors.id AND last = 1"     \
    " AND attempt > 0 AND " RECENT_KIND " = 0 ORDER BY id DESC LIMIT 1) AS newest"    \
    " JOIN history ON history.slot = newest.slot WHERE history.schedule = cursors.id" \
    " AND history.attempt = 1 AND history.started_at > 0 AND " RECENT_KIND " = 0"     \
    " ORDER BY history.id LIMIT 1)"
#define RECENT_ENDS                                                                   \
    "(SELECT CAST(sum(CAST(code AS bigint) << CAST(2 * place AS integer)) AS bigint)" \
    " FROM (SELECT " RECENT_END " AS code,"                                           \
    " row_number() OVER (ORDER BY id DESC) - 1 AS place FROM history"                 \
    " WHERE history.schedule = cursors.id AND last = 1 AND " RECENT_KIND " <> 4"      \
    " ORDER BY id DESC LIMIT 32) AS newest)"
#define RECENT                                                            \
    "ALTER TABLE cursors ADD COLUMN last_ok {int} NOT NULL"               \
    " DEFAULT -9223372036854775808;"                                      \
    "ALTER TABLE cursors ADD COLUMN last_late {int} NOT NULL DEFAULT -1;" \
    "ALTER TABLE cursors ADD COLUMN recent {int} NOT NULL DEFAULT 0;"     \
    "UPDATE cursors SET last_ok = coalesce(" RECENT_OK ", last_ok),"      \
    " last_late = coalesce(" RECENT_LATE ", last_late),"                  \
    " recent = coalesce(" RECENT_ENDS ", recent);"

/*
 * What became of the slots of each day, see store/days.h.  The day of a row that was written
 * earlier is not known.  Table days_left has few rows: it needs no index by schedule.
 */
#define NO_DAY "-9223372036854775808"
#define DAYS                                                                  \
    "ALTER TABLE history ADD COLUMN day {int} NOT NULL DEFAULT " NO_DAY ";"   \
    "ALTER TABLE ledger ADD COLUMN day {int} NOT NULL DEFAULT " NO_DAY ";"    \
    "ALTER TABLE ledger ADD COLUMN days {int} NOT NULL DEFAULT 1;"            \
    "ALTER TABLE ledger ADD COLUMN kind {int} NOT NULL DEFAULT 0;"            \
    "ALTER TABLE nodes ADD COLUMN days {int} NOT NULL DEFAULT 0;"             \
    "ALTER TABLE nodes ADD COLUMN days_until {int} NOT NULL DEFAULT 0;"       \
    "ALTER TABLE nodes ADD COLUMN days_after {int} NOT NULL DEFAULT 0;"       \
    "CREATE TABLE days ("                                                     \
    " subject {int} NOT NULL, day {int} NOT NULL, node {int} NOT NULL,"       \
    " body {blob} NOT NULL, PRIMARY KEY (subject, day, node)){keyed};"        \
    "CREATE TABLE days_left ("                                                \
    " id {int} PRIMARY KEY, schedule {int} NOT NULL, bits {int} NOT NULL,"    \
    " outcome {int} NOT NULL, day {int} NOT NULL, last {int} NOT NULL,"       \
    " attempt {int} NOT NULL, due {int} NOT NULL, started_at {int} NOT NULL," \
    " ended_at {int} NOT NULL, slot {int} NOT NULL, queue {int} NOT NULL)"    \
    " {strict};"

/* Sessions of browsers, see store/sessions.h. */
#define SESSIONS                                                                   \
    "CREATE TABLE sessions (id {int} PRIMARY KEY, token {int} NOT NULL,"           \
    " hash {blob} NOT NULL, created_at {int} NOT NULL, expires_at {int} NOT NULL)" \
    " {strict};"                                                                   \
    "CREATE INDEX sessions_token ON sessions (token, created_at);"

/*
 * The last two numbers: programs with at least these versions may read the tables after it, and
 * write them.  No program before version 18 uses a newer database.
 */
const struct migration schema_migrations[] = {
    {1, "schedules, cursors and runs", SCHEDULES CURSORS RUNS, 1, 1},
    {2, "history and what hangs on a schedule", HISTORY SCHEDULE_PARTS, 2, 2},
    {3, "nodes, names, requests and events", NODES_AND_EVENTS, 3, 3},
    {4, "the start before a run, and logs", LAST_RUN LOGS, 4, 4},
    {5, "tokens and audit", SECURITY, 5, 5},
    {6, "reasons of hints, and schedules by their last change", HINT_REASONS, 6, 6},
    {7, "zones and their midnights, inputs of runs that are over", ZONES INPUTS, 7, 7},
    {8, "figures of days, traces, and what nodes say of themselves", STATS, 8, 8},
    {9, "limits of queues", LIMITS, 9, 9},
    {10, "schedules by their last change, for lists alone", CHANGED, 10, 10},
    {11, "since when a schedule does what it does", EDITED, 11, 11},
    {12, "the last slot whose run had to wait", HELD, 12, 12},
    {13, "deleted schedules by name, and polls of queues", GONE, 13, 13},
    {14, "progress of backfills", BACKFILLS, 14, 14},
    {15, "lists of backfills", BACKFILL_LISTS, 15, 15},
    {16, "runs that no upstream has started", UNSTARTED, 16, 16},
    {17, "workflows without a maximum run time", NO_MAXIMUM, 17, 17},
    {18, "how the last runs ended", RECENT, 18, 18},
    {19, "outcomes of days", DAYS, 18, 19},
    {20, "sessions of browsers", SESSIONS, 18, 20},
};
const int schema_migration_count = sizeof(schema_migrations) / sizeof(*schema_migrations);

enum rc schema_migrate(struct db *db, instant now, struct arena *arena, struct err *reterr)
{
    struct migrate options = {
        .list = schema_migrations, .count = schema_migration_count, .now = now};
    int version = 0;

    return migrate(db, &options, arena, &version, reterr);
}

enum rc schema_check_reader(struct db *db, struct arena *arena, struct err *reterr)
{
    struct migrate options = {.list = schema_migrations, .count = schema_migration_count};
    int version = 0;

    return migrate_check_reader(db, &options, arena, &version, reterr);
}
