/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/apply/apply.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "cli/frame/progress.h"
#include "cli/frame/report.h"

enum {
    PAGES_MAX = 10000, /* of schedules that have a label: ten million of them */
    LABEL_MAX = 1023,  /* bytes of KEY=VALUE: escaped, it fits into a path    */
};

static json_t *json_of(const struct manifest_entry *entry)
{
    json_t *json = json_loadb(entry->json.ptr, entry->json.len, 0, NULL);

    must(json); /* it was printed by jansson */
    return json;
}

static void set_fate(struct apply *apply, struct manifest_entry *entry, enum manifest_fate fate)
{
    entry->fate = fate;
    apply->counts[fate]++;
}

static int not_belfry(const struct apply *apply)
{
    report_note("the answer of %s is not what was asked for; is it a Belfry server?",
                remote_server(apply->remote));
    return STATUS_PROTOCOL;
}

/* ---- portions of schedules ---- */

/* The schedules from `from` on that one request can carry; {"items": […]}. */
struct portion {
    json_t *body;
    int next; /* the entry behind it */
    int count;
    struct manifest_entry *entries[APPLY_PORTION];
};

static bool is_wanted(const struct manifest_entry *entry, bool only_changes)
{
    return entry->kind == MANIFEST_SCHEDULE &&
           (!only_changes || entry->fate == FATE_CREATE || entry->fate == FATE_CHANGE);
}

static bool take_portion(const struct apply *apply, bool only_changes, struct portion *p)
{
    struct manifest *m = apply->manifest;
    json_t *items = json_new_list();
    json_auto_t *versions = json_new_list();
    size_t bytes = 0;

    p->count = 0;
    while (p->next < m->count && p->count < APPLY_PORTION) {
        struct manifest_entry *entry = &m->entries[p->next];

        if (is_wanted(entry, only_changes)) {
            if (p->count > 0 && bytes + entry->json.len > APPLY_PORTION_BYTES)
                break;
            bytes += entry->json.len + 1;
            json_add(items, json_of(entry));
            json_add(versions, json_new_int(entry->version));
            p->entries[p->count++] = entry;
        }
        p->next++;
    }
    p->body = json_new_object();
    json_put(p->body, "items", items);
    if (only_changes) /* what was shown is what is done: nobody's edit in between is undone */
        json_put(p->body, "versions", json_incref(versions));
    return p->count > 0;
}

/* Told with the field as seen from the document: without "items[3].". */
static void tell_wrong(struct apply *apply, const struct manifest_entry *entry,
                       const json_t *error)
{
    const char *field = text_of(error, "field"), *text = text_of(error, "message");

    if (strncmp(field, "items[", 6) == 0) {
        field = strchr(field, ']') ? strchr(field, ']') + 1 : field;
        field += field[0] == '.';
    }
    manifest_error(apply->manifest, entry, field, text);
}

/* Sends a portion; `each` gets the result of each item. */
typedef void result_fn(struct apply *apply, struct manifest_entry *entry, const json_t *result);

static int send_portion(struct apply *apply, const char *path, const struct portion *p,
                        result_fn *each)
{
    struct remote_request request = {.method = "POST", .path = path, .body = p->body};
    struct remote_answer answer;
    const json_t *results;
    int status = remote_call(apply->remote, &request, &answer);

    if (status != STATUS_OK)
        return status;
    results = json_object_get(answer.json, "results");
    if (json_array_size(results) != (size_t)p->count)
        status = not_belfry(apply);
    for (int i = 0; status == STATUS_OK && i < p->count; i++)
        each(apply, p->entries[i], json_array_get(results, (size_t)i));
    answer_free(&answer);
    return status;
}

static int send_schedules(struct apply *apply, const char *path, bool only_changes, int all,
                          result_fn *each)
{
    struct portion *p = calloc(1, sizeof *p);
    struct progress progress;
    int status = STATUS_OK, done = 0;

    must(p);
    progress_open(&progress, "Schedules");
    while (status == STATUS_OK && take_portion(apply, only_changes, p)) {
        status = send_portion(apply, path, p, each);
        done += p->count;
        progress_show(&progress, done, all);
        json_decref(p->body);
        p->body = NULL;
    }
    progress_close(&progress);
    json_decref(p->body);
    free(p);
    return status;
}

/* ---- what would change ---- */

static void note_difference(struct apply *apply, struct manifest_entry *entry,
                            const json_t *result)
{
    const char *status = text_of(result, "status");

    if (strcmp(status, "create") == 0) {
        set_fate(apply, entry, FATE_CREATE);
    } else if (strcmp(status, "same") == 0) {
        set_fate(apply, entry, FATE_SAME);
    } else if (strcmp(status, "change") == 0) {
        set_fate(apply, entry, FATE_CHANGE);
        entry->changes = json_incref(json_object_get(result, "changes"));
        entry->version = json_integer_value(json_object_get(result, "version"));
    } else {
        set_fate(apply, entry, FATE_WRONG);
        tell_wrong(apply, entry, json_object_get(result, "error"));
    }
}

/* Calendars and gates: the one member that they have beside their name. */
static const struct {
    const char *path, *member;
} plain[] = {
    [MANIFEST_CALENDAR] = {"calendars", "dates"},
    [MANIFEST_GATE] = {"gates", "limit"},
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Dates as the server keeps them: in order, each once; anything else as it is. */
static json_t *in_order(const json_t *value)
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

static int compare_plain(struct apply *apply, struct manifest_entry *entry)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.path = path};
    struct remote_answer answer;
    const char *member = plain[entry->kind].member;
    json_auto_t *json = json_of(entry), *wanted = NULL;
    const json_t *old;
    int status;

    wanted = json_object_get(json, member);
    wanted = json_is_array(wanted) ? in_order(wanted) : json_incref(wanted);
    path_of(&out, plain[entry->kind].path, entry->id.ptr, NULL);
    status = remote_ask(apply->remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    old = json_object_get(answer.json, member);
    if (answer.status == 404) {
        set_fate(apply, entry, FATE_CREATE);
    } else if (answer.status != 200) {
        status = remote_refused(apply->remote, &request, &answer);
    } else if (old && json_equal((json_t *)old, wanted)) {
        set_fate(apply, entry, FATE_SAME);
    } else {
        set_fate(apply, entry, FATE_CHANGE);
        entry->changes = json_pack("[{s:s,s:O?,s:O}]", "field", member, "from", old, "to",
                                   wanted);
    }
    answer_free(&answer);
    return status;
}

int apply_compare(struct apply *apply)
{
    struct manifest *m = apply->manifest;
    int status = STATUS_OK, i = 0;

    for (; status == STATUS_OK && i < m->count && m->entries[i].kind != MANIFEST_SCHEDULE; i++)
        status = compare_plain(apply, &m->entries[i]);
    if (status == STATUS_OK)
        status = send_schedules(apply, "/api/v1/bulk/schedules/diff", false, m->count - i,
                                note_difference);
    if (status == STATUS_OK && m->errors > 0) {
        if (m->errors > MANIFEST_ERRORS_MAX)
            report_note("… and %d more", m->errors - MANIFEST_ERRORS_MAX);
        status = STATUS_USAGE;
    }
    return status;
}

/* ---- what the files lack ---- */

static json_t *names_of(const struct manifest *m)
{
    json_t *names = json_new_object();

    for (int i = 0; i < m->count; i++)
        if (m->entries[i].kind == MANIFEST_SCHEDULE)
            json_put(names, m->entries[i].id.ptr, json_true());
    return names;
}

static int note_page(struct apply *apply, const json_t *names, const json_t *page)
{
    const json_t *list = json_object_get(page, "schedules");

    if (!json_is_array(list))
        return not_belfry(apply);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *id = text_of(json_array_get(list, i), "id");

        if (!json_object_get(names, id))
            json_add(apply->pruned, json_new_str(str_of(id)));
    }
    return STATUS_OK;
}

int apply_find_pruned(struct apply *apply, const char *label)
{
    json_auto_t *names = names_of(apply->manifest);
    char cursor[REMOTE_PATH_MAX] = "";
    const char *equals = strchr(label, '=');
    int status = STATUS_OK;

    if (!equals || equals == label || strlen(label) > LABEL_MAX) {
        report_note("--prune needs a label: -l KEY=VALUE, not `%s`", label);
        return STATUS_USAGE;
    }
    if (json_object_size(names) == 0) {
        /* More likely an export that failed before the pipe, or a wrong folder. */
        report_note("no file has a schedule, and --prune would delete all that have %s; delete "
                    "them with `belfry schedule delete` if that is meant",
                    label);
        return STATUS_USAGE;
    }
    apply->pruned = json_new_list();
    for (int i = 0; status == STATUS_OK && i < PAGES_MAX; i++) {
        char path[REMOTE_PATH_MAX];
        struct buf out = BUF(path);
        struct remote_request request = {.path = path};
        struct remote_answer answer;

        buf_text(&out, "/api/v1/schedules?limit=1000");
        path_query(&out, "label", label);
        path_query(&out, "cursor", cursor[0] != '\0' ? cursor : NULL);
        status = out.cut ? not_belfry(apply) : remote_call(apply->remote, &request, &answer);
        if (status != STATUS_OK)
            break;
        status = note_page(apply, names, answer.json);
        snprintf(cursor, sizeof cursor, "%s", text_of(answer.json, "cursor"));
        answer_free(&answer);
        if (cursor[0] == '\0')
            break;
    }
    return status;
}

bool apply_is_different(const struct apply *apply)
{
    return apply->counts[FATE_CREATE] + apply->counts[FATE_CHANGE] > 0 ||
           json_array_size(apply->pruned) > 0;
}

/* ---- doing it ---- */

static int put_plain(struct apply *apply, struct manifest_entry *entry)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    json_auto_t *body = json_of(entry);
    struct remote_request request = {.method = "PUT", .path = path, .body = body};
    struct remote_answer answer;
    int status;

    json_object_del(body, manifest_kind_text(entry->kind));
    path_of(&out, plain[entry->kind].path, entry->id.ptr, NULL);
    status = remote_ask(apply->remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    if (answer.status >= 400 && answer.status < 500 && answer.status != 401 &&
        answer.status != 403 && answer.status != 429) {
        manifest_error(apply->manifest, entry, text_of(answer.json, "field"),
                       text_of(answer.json, "detail"));
        apply->failed++;
    } else if (answer.status >= 300) {
        status = remote_refused(apply->remote, &request, &answer);
    }
    answer_free(&answer);
    return status;
}

static void note_put(struct apply *apply, struct manifest_entry *entry, const json_t *result)
{
    const json_t *warnings = json_object_get(result, "warnings"), *warning;
    size_t i;

    json_array_foreach(warnings, i, warning)
        report_note("schedule \"%s\": %s", entry->id.ptr, json_string_value(warning));
    if (strcmp(text_of(result, "status"), "ok") == 0)
        return;
    apply->failed++;
    tell_wrong(apply, entry, json_object_get(result, "error"));
}

static int delete_portion(struct apply *apply, size_t from, size_t count)
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
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *one = json_array_get(results, i);
        const char *code = text_of(json_object_get(one, "error"), "code");

        /* One that is gone is as it should be. */
        if (strcmp(text_of(one, "status"), "ok") == 0 || strcmp(code, "not_found") == 0)
            continue;
        apply->failed++;
        report_note("schedule \"%s\" was not deleted: %s", text_of(one, "id"),
                    text_of(json_object_get(one, "error"), "message"));
    }
    answer_free(&answer);
    return STATUS_OK;
}

static int put_plains(struct apply *apply, enum manifest_kind kind, bool also_same)
{
    struct manifest *m = apply->manifest;
    int status = STATUS_OK;

    for (int i = 0; status == STATUS_OK && i < m->count; i++) {
        enum manifest_fate fate = m->entries[i].fate;

        if (m->entries[i].kind == kind &&
            (fate == FATE_CREATE || fate == FATE_CHANGE || (fate == FATE_SAME && also_same)))
            status = put_plain(apply, &m->entries[i]);
    }
    return status;
}

/*
 * Schedules need the calendars that they name, and say a limit of their gate, too: what the
 * files say of the gate itself comes after them, so that it counts.
 */
int apply_do(struct apply *apply)
{
    int writes = apply->counts[FATE_CREATE] + apply->counts[FATE_CHANGE];
    size_t pruned = json_array_size(apply->pruned);
    int status = put_plains(apply, MANIFEST_CALENDAR, false);

    if (status == STATUS_OK)
        status = send_schedules(apply, "/api/v1/bulk/schedules/put", true, writes, note_put);
    if (status == STATUS_OK)
        status = put_plains(apply, MANIFEST_GATE, writes > 0);
    for (size_t i = 0; status == STATUS_OK && i < pruned; i += APPLY_PORTION)
        status = delete_portion(apply, i,
                                pruned - i < APPLY_PORTION ? pruned - i : APPLY_PORTION);
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
