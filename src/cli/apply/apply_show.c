/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the changes before they are made: entries, fields and times.
 */
#include "base/must.h"
#include "cli/apply/apply.h"
#include "cli/frame/report.h"

enum {
    TIMES_SHOWN = 5,      /* before and after a change                        */
    SCHEDULES_SHOWN = 50, /* schedules whose times are shown: one request each */
    VALUE_SHOWN = 200,    /* bytes of a value                                 */
    VALUE_MAX = 64 << 10,
};

static const struct {
    const char *sign, *word;
    enum tint tint;
} diff_marks[] = {
    [DIFF_CREATE] = {"+", "create", TINT_GOOD},
    [DIFF_CHANGE] = {"~", "change", TINT_WARN},
};

static void print_value(struct printer *out, const json_t *value)
{
    static char text[VALUE_MAX];
    struct buf buf = BUF(text);

    if (!value || json_is_null(value)) {
        printer_text(out, "none");
        return;
    }
    json_print(value, JSON_STYLE_LINE, &buf);
    if (buf.len <= VALUE_SHOWN) {
        printer_safe(out, buf_as_str(&buf));
        return;
    }
    printer_safe(out, str_head(buf_as_str(&buf), VALUE_SHOWN));
    printer_text(out, "…");
}

static void print_changes(struct printer *out, const json_t *changes)
{
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const json_t *change = json_array_get(changes, i);

        printer_text(out, "    ");
        printer_safe(out, str_of(member_text(change, "field")));
        printer_text(out, ": ");
        print_value(out, json_object_get(change, "from"));
        printer_text(out, " → ");
        print_value(out, json_object_get(change, "to"));
        printer_text(out, "\n");
    }
}

/* A new schedule has no list of changes, so its pause is printed here. */
static void print_pause(struct printer *out, const struct manifest_entry *entry)
{
    json_auto_t *document = json_loadb(entry->json.ptr, entry->json.len, 0, NULL);
    const json_t *paused = json_object_get(document, "paused");

    if (entry->diff != DIFF_CREATE || (!json_is_true(paused) && !json_is_object(paused)))
        return;
    printer_text(out, "    paused: ");
    print_value(out, paused);
    printer_text(out, "\n");
}

static void print_line(struct printer *out, const char *sign, enum tint tint, const char *kind,
                       struct str id)
{
    printer_tint(out, tint);
    printer_printf(out, "%s %s ", sign, kind);
    printer_safe(out, id);
    printer_tint(out, tint == TINT_NONE ? TINT_NONE : TINT_END);
    printer_text(out, "\n");
}

int apply_show(const struct apply *apply)
{
    static struct printer out;
    const struct manifest *m = apply->manifest;

    remote_printer(apply->remote, &out);
    for (int i = 0; i < m->count; i++) {
        const struct manifest_entry *entry = &m->entries[i];

        if (entry->diff != DIFF_CREATE && entry->diff != DIFF_CHANGE)
            continue;
        print_line(&out, diff_marks[entry->diff].sign, diff_marks[entry->diff].tint,
                   manifest_kind_text(entry->kind), entry->id);
        print_changes(&out, entry->changes);
        print_pause(&out, entry);
    }
    for (size_t i = 0; i < json_array_size(apply->pruned); i++)
        print_line(&out, "-", TINT_BAD, "schedule",
                   str_of(json_string_value(json_array_get(apply->pruned, i))));
    return printer_close(&out);
}

/* ---- times ---- */

/* True if the change ends a pause. */
static bool is_resumed(const struct manifest_entry *entry)
{
    for (size_t i = 0; i < json_array_size(entry->changes); i++) {
        const json_t *change = json_array_get(entry->changes, i);

        if (strcmp(member_text(change, "field"), "paused") == 0 &&
            json_is_false(json_object_get(change, "to")))
            return true;
    }
    return false;
}

static bool changes_times(const struct manifest_entry *entry)
{
    if (entry->kind != MANIFEST_SCHEDULE || entry->diff == DIFF_SAME)
        return false;
    if (entry->diff == DIFF_CREATE)
        return true;
    for (size_t i = 0; i < json_array_size(entry->changes); i++) {
        const char *field = member_text(json_array_get(entry->changes, i), "field");

        if (strncmp(field, "spec", 4) == 0 || strncmp(field, "governor", 8) == 0 ||
            strncmp(field, "paused", 6) == 0 || strcmp(field, "enabled") == 0)
            return true;
    }
    return false;
}

static void print_times(struct printer *out, const char *title, const json_t *times)
{
    printer_printf(out, "    %-7s", title);
    if (json_array_size(times) == 0)
        printer_text(out, " never");
    for (size_t i = 0; i < json_array_size(times) && i < TIMES_SHOWN; i++) {
        const json_t *time = json_array_get(times, i);
        const char *text = json_is_string(time) ? json_string_value(time)
                                                : member_text(time, "slot");

        printer_text(out, i > 0 ? ", " : " ");
        printer_safe(out, str_of(text));
    }
    printer_text(out, "\n");
}

static void print_note(struct printer *out, const char *note)
{
    if (note[0] == '\0')
        return;
    printer_text(out, "    note    ");
    printer_safe(out, str_of(note));
    printer_text(out, "\n");
}

/* The end of the pause of a new document; NULL: none. */
static const char *pause_end(const json_t *document)
{
    return json_string_value(json_object_get(json_object_get(document, "paused"), "until"));
}

/* True if the schedule is disabled or paused without an end. */
static bool is_inactive(const struct manifest_entry *entry)
{
    json_auto_t *document = json_loadb(entry->json.ptr, entry->json.len, 0, NULL);
    const json_t *paused = json_object_get(document, "paused");
    bool is_paused = json_is_true(paused) || (json_is_object(paused) && !pause_end(document));

    return is_paused || json_is_false(json_object_get(document, "enabled"));
}

/*
 * For a new schedule, the times of its spec after its pause; else the times before and after
 * the change.
 */
static int fetch_times(const struct apply *apply, const struct manifest_entry *entry,
                       struct remote_answer *ret)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    json_auto_t *document = json_loadb(entry->json.ptr, entry->json.len, 0, NULL);
    json_auto_t *body = json_new_object();
    struct remote_request request = {
        .method = "POST", .path = path, .body = body, .only_reads = true};
    json_t *spec;

    must(document);
    spec = json_object_get(document, "spec");
    json_put(body, "count", json_new_int(TIMES_SHOWN));
    if (entry->diff == DIFF_CREATE) {
        buf_text(&out, "/api/v1/preview");
        json_put(body, "id", json_new_str(entry->id));
        json_put(body, "spec", spec ? json_incref(spec) : json_new_object());
        if (pause_end(document))
            json_put(body, "from", json_new_str(str_of(pause_end(document))));
    } else {
        path_object(&out, "schedules", entry->id.ptr, "/plan-diff");
        json_put(body, "document", json_incref(document));
    }
    return remote_call(apply->remote, &request, ret);
}

static int show_times(const struct apply *apply, const struct manifest_entry *entry,
                      struct printer *out)
{
    struct remote_answer answer;
    int status = fetch_times(apply, entry, &answer);

    if (status != STATUS_OK)
        return status;
    print_line(out, diff_marks[entry->diff].sign, diff_marks[entry->diff].tint, "times of",
               entry->id);
    if (entry->diff == DIFF_CREATE) {
        print_times(out, "after", json_object_get(answer.json, "next"));
        print_note(out,
                   is_inactive(entry) ? "it does not run while it is paused or disabled" : "");
    } else {
        print_times(out, "before", json_object_get(answer.json, "before"));
        print_times(out, "after", json_object_get(answer.json, "after"));
        print_note(out, member_text(answer.json, "note"));
    }
    answer_free(&answer);
    return STATUS_OK;
}

/* Prints what the server would do with the slots that were missed during the pause. */
static int show_resume(const struct apply *apply, const struct manifest_entry *entry,
                       struct printer *out)
{
    char path[REMOTE_PATH_MAX];
    struct buf to = BUF(path);
    json_auto_t *body = json_pack("{s:b}", "dryRun", 1);
    struct remote_request request = {
        .method = "POST", .path = path, .body = body, .only_reads = true};
    struct remote_answer answer;
    int status;

    path_object(&to, "schedules", entry->id.ptr, "/resume");
    status = remote_call(apply->remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    print_line(out, diff_marks[entry->diff].sign, diff_marks[entry->diff].tint, "resume",
               entry->id);
    printer_text(out, "    ");
    printer_safe(out, str_of(member_text(answer.json, "text")));
    printer_text(out, "\n");
    answer_free(&answer);
    return STATUS_OK;
}

static int show_effect(const struct apply *apply, const struct manifest_entry *entry,
                       struct printer *out)
{
    int status = is_resumed(entry) ? show_resume(apply, entry, out) : STATUS_OK;

    if (status == STATUS_OK && changes_times(entry))
        status = show_times(apply, entry, out);
    return status;
}

int apply_show_times(const struct apply *apply)
{
    static struct printer out;
    const struct manifest *m = apply->manifest;
    int status = STATUS_OK, shown = 0, rest = 0, closed;

    remote_printer(apply->remote, &out);
    for (int i = 0; status == STATUS_OK && i < m->count; i++) {
        if (!changes_times(&m->entries[i]) && !is_resumed(&m->entries[i]))
            continue;
        if (shown == SCHEDULES_SHOWN) {
            rest++;
            continue;
        }
        shown++;
        status = show_effect(apply, &m->entries[i], &out);
    }
    if (rest > 0)
        printer_printf(&out, "… and the times of %d more schedules\n", rest);
    closed = printer_close(&out);
    return status != STATUS_OK ? status : closed;
}

/* ---- JSON, and the summary ---- */

/* Adds the member "times" with the times before and after. */
static int put_times(const struct apply *apply, const struct manifest_entry *entry, json_t *one)
{
    struct remote_answer answer;
    bool is_new = entry->diff == DIFF_CREATE;
    int status = fetch_times(apply, entry, &answer);
    json_t *times, *after, *slot;
    size_t i;

    if (status != STATUS_OK)
        return status;
    times = json_new_object();
    after = json_new_list();
    json_array_foreach(json_object_get(answer.json, is_new ? "next" : "after"), i, slot)
        json_add(after, json_incref(is_new ? json_object_get(slot, "slot") : slot));
    json_put(times, "before",
             is_new ? json_new_list() : json_incref(json_object_get(answer.json, "before")));
    json_put(times, "after", after);
    json_put(one, "times", times);
    answer_free(&answer);
    return STATUS_OK;
}

static json_t *change_json(const struct manifest_entry *entry)
{
    json_t *one = json_new_object();

    json_put(one, "kind", json_new_str(str_of(manifest_kind_text(entry->kind))));
    json_put(one, "id", json_new_str(entry->id));
    json_put(one, "do", json_new_str(str_of(diff_marks[entry->diff].word)));
    if (entry->changes)
        json_put(one, "changes", json_incref(entry->changes));
    return one;
}

int apply_show_json(const struct apply *apply, bool with_times)
{
    static struct printer out;
    const struct manifest *m = apply->manifest;
    json_auto_t *all = json_new_object();
    json_t *list = json_new_list();
    int status = STATUS_OK, shown = 0;

    json_put(all, "items", list);
    for (int i = 0; i < m->count && status == STATUS_OK; i++) {
        const struct manifest_entry *entry = &m->entries[i];
        json_t *one;

        if (entry->diff != DIFF_CREATE && entry->diff != DIFF_CHANGE)
            continue;
        one = change_json(entry);
        json_add(list, one);
        if (with_times && changes_times(entry) && shown++ < SCHEDULES_SHOWN)
            status = put_times(apply, entry, one);
    }
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < json_array_size(apply->pruned); i++) {
        json_t *one;

        if (!json_is_string(json_array_get(apply->pruned, i)))
            continue; /* it was not deleted */
        one = json_new_object();
        json_put(one, "kind", json_new_str(STR("schedule")));
        json_put(one, "id", json_incref(json_array_get(apply->pruned, i)));
        json_put(one, "do", json_new_str(STR("delete")));
        json_add(list, one);
    }
    json_put(all, "same", json_new_int(apply->counts[DIFF_SAME]));
    json_put(all, "failed", json_new_int(apply->failed));
    remote_printer(apply->remote, &out);
    print_json(&out, all);
    return printer_close(&out);
}

static int count_deleted(const struct apply *apply)
{
    int count = 0;

    for (size_t i = 0; i < json_array_size(apply->pruned); i++)
        count += json_is_string(json_array_get(apply->pruned, i));
    return count;
}

int apply_print_summary(const struct apply *apply)
{
    static struct printer out;
    int deleted = count_deleted(apply);

    remote_printer(apply->remote, &out);
    if (!apply_is_different(apply) && apply->failed == 0) {
        printer_printf(&out, "no changes; %d unchanged\n", apply->counts[DIFF_SAME]);
    } else {
        printer_printf(&out, "%d created, %d changed, %d unchanged", apply->counts[DIFF_CREATE],
                       apply->counts[DIFF_CHANGE], apply->counts[DIFF_SAME]);
        if (deleted > 0)
            printer_printf(&out, ", %d deleted", deleted);
        if (apply->failed > 0)
            printer_printf(&out, "; %d failed", apply->failed);
        printer_text(&out, "\n");
    }
    return printer_close(&out);
}
