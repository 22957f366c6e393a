/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares a manifest with the server, finds schedules to prune, and makes the changes.
 */
#include "cli/apply/apply.h"

#include <stdlib.h>

#include "base/must.h"
#include "cli/frame/progress.h"
#include "cli/frame/report.h"

enum { LABEL_MAX = 1023 }; /* bytes of KEY=VALUE: escaped, it fits a path */

static json_t *entry_json(const struct manifest_entry *entry)
{
    json_t *json = json_loadb(entry->json.ptr, entry->json.len, 0, NULL);

    must(json); /* jansson printed it */
    return json;
}

static void set_diff(struct apply *apply, struct manifest_entry *entry, enum manifest_diff diff)
{
    entry->diff = diff;
    apply->counts[diff]++;
}

static int report_unexpected(const struct apply *apply)
{
    report_note("unexpected response from %s; is it a Belfry server?",
                remote_server(apply->remote));
    return STATUS_PROTOCOL;
}

/* ---- batches of schedules ---- */

/* Schedules that one request carries, as {"items": […]}. */
struct schedule_batch {
    json_t *body;
    bool is_comparison;
    int next; /* the first entry after the batch */
    int count;
    struct manifest_entry *entries[APPLY_BATCH_MAX];
};

static bool is_wanted(const struct manifest_entry *entry, bool only_changes)
{
    return entry->kind == MANIFEST_SCHEDULE &&
           (!only_changes || entry->diff == DIFF_CREATE || entry->diff == DIFF_CHANGE);
}

static bool fill_batch(const struct apply *apply, bool only_changes,
                       struct schedule_batch *batch)
{
    struct manifest *m = apply->manifest;
    json_t *items = json_new_list();
    json_auto_t *versions = json_new_list();
    size_t bytes = 0;

    batch->count = 0;
    while (batch->next < m->count && batch->count < APPLY_BATCH_MAX) {
        struct manifest_entry *entry = &m->entries[batch->next];

        if (is_wanted(entry, only_changes)) {
            if (batch->count > 0 && bytes + entry->json.len > APPLY_BATCH_BYTES)
                break;
            bytes += entry->json.len + 1;
            json_add(items, entry_json(entry));
            json_add(versions, json_new_int(entry->version));
            batch->entries[batch->count++] = entry;
        }
        batch->next++;
    }
    batch->body = json_new_object();
    json_put(batch->body, "items", items);
    if (only_changes) /* the server refuses a schedule that was edited after the comparison */
        json_put(batch->body, "versions", json_incref(versions));
    return batch->count > 0;
}

/* Reports the field relative to the document, without "items[3].". */
static void report_invalid(struct apply *apply, const struct manifest_entry *entry,
                           const json_t *error)
{
    const char *field = member_text(error, "field"), *text = member_text(error, "message");

    if (strncmp(field, "items[", 6) == 0) {
        field = strchr(field, ']') ? strchr(field, ']') + 1 : field;
        field += field[0] == '.';
    }
    if (entry->has_wrong_id && strcmp(field, "id") == 0)
        return; /* reported before */
    manifest_error(apply->manifest, entry, field, text);
}

typedef void result_fn(struct apply *apply, struct manifest_entry *entry, const json_t *result);

static int send_batch(struct apply *apply, const char *path, const struct schedule_batch *batch,
                      result_fn *each)
{
    struct remote_request request = {.method = "POST",
                                     .path = path,
                                     .body = batch->body,
                                     .only_reads = batch->is_comparison};
    struct remote_answer answer;
    const json_t *results;
    int status = remote_call(apply->remote, &request, &answer);

    if (status != STATUS_OK)
        return status;
    results = json_object_get(answer.json, "results");
    if (json_array_size(results) != (size_t)batch->count)
        status = report_unexpected(apply);
    for (int i = 0; status == STATUS_OK && i < batch->count; i++)
        each(apply, batch->entries[i], json_array_get(results, (size_t)i));
    answer_free(&answer);
    return status;
}

static int send_schedules(struct apply *apply, const char *path, bool only_changes, int all,
                          result_fn *each)
{
    struct schedule_batch *batch = calloc(1, sizeof *batch);
    struct progress progress;
    int status = STATUS_OK, done = 0;

    must(batch);
    batch->is_comparison = !only_changes;
    progress_open(&progress, "Schedules");
    while (status == STATUS_OK && fill_batch(apply, only_changes, batch)) {
        status = send_batch(apply, path, batch, each);
        done += batch->count;
        progress_show(&progress, done, all);
        json_decref(batch->body);
        batch->body = NULL;
    }
    progress_close(&progress);
    json_decref(batch->body);
    free(batch);
    return status;
}

/* ---- comparing ---- */

static void report_errors(struct apply *apply, const struct manifest_entry *entry,
                          const json_t *result)
{
    const json_t *errors = json_object_get(result, "errors");

    for (size_t i = 0; i < json_array_size(errors); i++)
        report_invalid(apply, entry, json_array_get(errors, i));
    if (json_array_size(errors) == 0) /* an older server */
        report_invalid(apply, entry, json_object_get(result, "error"));
    if (json_is_true(json_object_get(result, "hasMoreErrors")))
        manifest_error(apply->manifest, entry, "", "there may be more errors");
}

static void handle_diff_result(struct apply *apply, struct manifest_entry *entry,
                               const json_t *result)
{
    const char *status = member_text(result, "status");

    if (strcmp(status, "create") == 0) {
        set_diff(apply, entry, DIFF_CREATE);
    } else if (strcmp(status, "same") == 0) {
        set_diff(apply, entry, DIFF_SAME);
    } else if (strcmp(status, "change") == 0) {
        set_diff(apply, entry, DIFF_CHANGE);
        entry->changes = json_incref(json_object_get(result, "changes"));
        entry->version = json_integer_value(json_object_get(result, "version"));
    } else {
        set_diff(apply, entry, DIFF_INVALID);
        report_errors(apply, entry, result);
    }
}

/* Calendars and gates have one member in addition to their name. */
static const struct {
    const char *path, *member;
} simple_kinds[] = {
    [MANIFEST_CALENDAR] = {"calendars", "dates"},
    [MANIFEST_GATE] = {"gates", "limit"},
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Dates as the server stores them: sorted, without duplicates; other values unchanged. */
static json_t *sorted_dates(const json_t *value)
{
    size_t count = json_array_size(value);
    const char **texts = calloc(count + 1, sizeof *texts);
    json_t *list = json_new_list();

    must(texts);
    for (size_t i = 0; i < count && texts; i++) {
        texts[i] = json_string_value(json_array_get(value, i));
        if (!texts[i]) {
            free(texts);
            json_decref(list);
            return json_incref((json_t *)value);
        }
    }
    qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(texts[i], texts[i - 1]) != 0)
            json_add(list, json_new_str(str_of(texts[i])));
    free(texts);
    return list;
}

static int compare_simple(struct apply *apply, struct manifest_entry *entry)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.path = path};
    struct remote_answer answer;
    const char *member = simple_kinds[entry->kind].member;
    json_auto_t *json = entry_json(entry), *wanted = NULL;
    const json_t *old;
    int status;

    wanted = json_object_get(json, member);
    wanted = json_is_array(wanted) ? sorted_dates(wanted) : json_incref(wanted);
    path_object(&out, simple_kinds[entry->kind].path, entry->id.ptr, NULL);
    status = remote_fetch(apply->remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    old = json_object_get(answer.json, member);
    if (answer.status == 404) {
        set_diff(apply, entry, DIFF_CREATE);
    } else if (answer.status != 200) {
        status = remote_check(apply->remote, &request, &answer);
    } else if (old && json_equal((json_t *)old, wanted)) {
        set_diff(apply, entry, DIFF_SAME);
    } else {
        set_diff(apply, entry, DIFF_CHANGE);
        entry->changes = json_pack("[{s:s,s:O?,s:O}]", "field", member, "from", old, "to",
                                   wanted);
    }
    answer_free(&answer);
    return status;
}

int apply_compare(struct apply *apply)
{
    struct manifest *m = apply->manifest;
    int status = STATUS_OK, i = 0, before = m->errors;

    for (; status == STATUS_OK && i < m->count && m->entries[i].kind != MANIFEST_SCHEDULE; i++)
        status = compare_simple(apply, &m->entries[i]);
    if (status == STATUS_OK)
        status = send_schedules(apply, "/api/v1/bulk/schedules/diff", false, m->count - i,
                                handle_diff_result);
    if (status == STATUS_OK && m->errors > 0) {
        if (m->errors > before)
            manifest_print_rest(m);
        status = STATUS_USAGE;
    }
    return status;
}

/* ---- pruning ---- */

static json_t *schedule_ids(const struct manifest *m)
{
    json_t *ids = json_new_object();

    for (int i = 0; i < m->count; i++)
        if (m->entries[i].kind == MANIFEST_SCHEDULE)
            json_put(ids, m->entries[i].id.ptr, json_true());
    return ids;
}

struct pruning {
    struct apply *apply;
    const json_t *ids; /* of the schedules in the files: an object with true for each */
};

static int add_missing(void *arg, const json_t *page)
{
    struct apply *apply = ((const struct pruning *)arg)->apply;
    const json_t *ids = ((const struct pruning *)arg)->ids;
    const json_t *list = json_object_get(page, "schedules");

    if (!json_is_array(list))
        return report_unexpected(apply);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *id = member_text(json_array_get(list, i), "id");

        if (!json_object_get(ids, id))
            json_add(apply->pruned, json_new_str(str_of(id)));
    }
    return STATUS_OK;
}

int apply_find_pruned(struct apply *apply, const char *label)
{
    json_auto_t *ids = schedule_ids(apply->manifest);
    struct pruning pruning = {apply, ids};
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    const char *equals = strchr(label, '=');

    if (!equals || equals == label || strlen(label) > LABEL_MAX) {
        report_note("--label must be KEY=VALUE, not \"%s\"", label);
        return STATUS_USAGE;
    }
    if (json_object_size(ids) == 0) {
        /* This is probably a mistake: a failed export, or a wrong directory. */
        report_note("the files contain no schedule, so --prune would delete every schedule "
                    "with the label %s; use `belfry schedule delete` to delete them",
                    label);
        return STATUS_USAGE;
    }
    apply->pruned = json_new_list();
    buf_text(&out, "/api/v1/schedules");
    path_query(&out, "label", label);
    return remote_pages(apply->remote, path, "1000", NULL, add_missing, &pruning);
}

bool apply_is_different(const struct apply *apply)
{
    return apply->counts[DIFF_CREATE] + apply->counts[DIFF_CHANGE] > 0 ||
           json_array_size(apply->pruned) > 0;
}

/* ---- applying ---- */

/* The server refused it: it is neither created nor changed. */
static void set_failed(struct apply *apply, struct manifest_entry *entry)
{
    apply->failed++;
    apply->counts[entry->diff]--;
    set_diff(apply, entry, DIFF_INVALID);
}

static int put_simple(struct apply *apply, struct manifest_entry *entry)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    json_auto_t *body = entry_json(entry);
    struct remote_request request = {.method = "PUT", .path = path, .body = body};
    struct remote_answer answer;
    int status;

    json_object_del(body, manifest_kind_text(entry->kind));
    path_object(&out, simple_kinds[entry->kind].path, entry->id.ptr, NULL);
    status = remote_fetch(apply->remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    if (answer.status >= 400 && answer.status < 500 && answer.status != 401 &&
        answer.status != 403 && answer.status != 429) {
        manifest_error(apply->manifest, entry, member_text(answer.json, "field"),
                       member_text(answer.json, "detail"));
        set_failed(apply, entry);
    } else if (answer.status >= 300) {
        status = remote_check(apply->remote, &request, &answer);
    }
    answer_free(&answer);
    return status;
}

static void handle_put_result(struct apply *apply, struct manifest_entry *entry,
                              const json_t *result)
{
    const json_t *warnings = json_object_get(result, "warnings"), *warning;
    size_t i;

    json_array_foreach(warnings, i, warning)
        report_note("schedule \"%s\": %s", entry->id.ptr, json_string_value(warning));
    if (strcmp(member_text(result, "status"), "ok") == 0)
        return;
    set_failed(apply, entry);
    report_invalid(apply, entry, json_object_get(result, "error"));
}

static int delete_batch(struct apply *apply, size_t from, size_t count)
{
    json_auto_t *body = json_new_object();
    json_t *items = json_new_list();
    struct remote_request request = {
        .method = "POST", .path = "/api/v1/bulk/schedules/delete", .body = body};
    struct remote_answer answer;
    const json_t *results;
    int status;

    for (size_t i = from; i < from + count; i++)
        json_add(items, json_incref(json_array_get(apply->pruned, i)));
    json_put(body, "items", items);
    status = remote_call(apply->remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    results = json_object_get(answer.json, "results");
    if (json_array_size(results) != count)
        status = report_unexpected(apply);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const json_t *one = json_array_get(results, i);
        const char *code = member_text(json_object_get(one, "error"), "code");

        /* A schedule that is already gone is not an error. */
        if (strcmp(member_text(one, "status"), "ok") == 0 || strcmp(code, "not_found") == 0)
            continue;
        apply->failed++;
        must(json_array_set_new(apply->pruned, from + i, json_null()) == 0);
        report_note("schedule \"%s\" was not deleted: %s", member_text(one, "id"),
                    member_text(json_object_get(one, "error"), "message"));
    }
    answer_free(&answer);
    return status;
}

static int put_simple_kind(struct apply *apply, enum manifest_kind kind, bool include_same)
{
    struct manifest *m = apply->manifest;
    int status = STATUS_OK;

    for (int i = 0; status == STATUS_OK && i < m->count; i++) {
        enum manifest_diff diff = m->entries[i].diff;

        if (m->entries[i].kind == kind &&
            (diff == DIFF_CREATE || diff == DIFF_CHANGE || (diff == DIFF_SAME && include_same)))
            status = put_simple(apply, &m->entries[i]);
    }
    return status;
}

/*
 * Calendars come first, since schedules name them.  Gates come last: a schedule may set a limit
 * for its gate, and the limit in the gate's own entry takes precedence.
 */
int apply_do(struct apply *apply)
{
    int writes = apply->counts[DIFF_CREATE] + apply->counts[DIFF_CHANGE];
    size_t pruned = json_array_size(apply->pruned);
    int status = put_simple_kind(apply, MANIFEST_CALENDAR, false);

    if (status == STATUS_OK)
        status = send_schedules(apply, "/api/v1/bulk/schedules/put", true, writes,
                                handle_put_result);
    if (status == STATUS_OK)
        status = put_simple_kind(apply, MANIFEST_GATE, writes > 0);
    for (size_t i = 0; status == STATUS_OK && i < pruned; i += APPLY_BATCH_MAX)
        status = delete_batch(apply, i,
                              pruned - i < APPLY_BATCH_MAX ? pruned - i : APPLY_BATCH_MAX);
    if (status == STATUS_OK && apply->failed > 0)
        status = STATUS_FAILED;
    return status;
}

void apply_free(struct apply *apply)
{
    json_decref(apply->pruned);
    apply->pruned = NULL;
    manifest_free(apply->manifest);
    apply->remote = remote_close(apply->remote);
}
