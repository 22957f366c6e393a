/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds requests to Conductor and reads its answers, which may be cut off or contain anything.
 */
#include "server/dispatch/conductor_wire.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/must.h"
#include "model/member.h"
#include "server/dispatch/run_log.h"

enum {
    URL_MORE = 128,    /* the fixed parts of a URL          */
    ESCAPED = 3,       /* bytes of an escaped byte in a URL */
    MESSAGE_MAX = 200, /* bytes of an error body            */
};

/* ---- progress of a run ---- */

static json_t *read_object(struct str text)
{
    json_t *json;
    struct err err;

    if (text.len == 0 || json_read(text, &json, &err) != RC_OK)
        return NULL;
    if (json_is_object(json))
        return json;
    json_decref(json);
    return NULL;
}

static struct str str_at(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_string(value)
               ? (struct str){json_string_value(value), json_string_length(value)}
               : (struct str){0};
}

/* Whether it fits and can be one segment of a URL path. */
static bool is_id(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] <= ' ' || s.ptr[i] > '~')
            return false;
    return s.len > 0 && s.len <= FLOW_ID_MAX;
}

struct flow_progress flow_progress_read(struct str text, struct arena *arena)
{
    json_auto_t *json = read_object(text);
    struct flow_progress progress = {0};
    struct str id = str_at(json, "workflowId"), run_id = str_at(json, "runId");
    json_int_t count = json_integer_value(json_object_get(json, "workflows"));
    json_int_t clean = json_integer_value(json_object_get(json, "clean"));

    progress.clean = clean >= 1 && clean <= INT32_MAX ? (int32_t)clean : 0;
    if (id.len == 0)
        return progress;
    progress.id = arena_str(arena, id);
    if (run_id.len <= FLOW_ID_MAX)
        progress.run_id = arena_str(arena, run_id);
    progress.first = arena_str(arena, str_at(json, "firstWorkflowId"));
    progress.count = count >= 1 && count <= FLOW_COUNT_MAX ? (int32_t)count : 1;
    progress.has_ended = json_is_true(json_object_get(json, "ended"));
    return progress;
}

static struct str keep(const json_t *json, struct arena *arena)
{
    struct str text = {0};
    struct err err;

    must(json_keep(json, SIZE_MAX, arena, &text, &err) == RC_OK);
    return text;
}

struct str flow_progress_print(const struct flow_progress *progress, struct arena *arena)
{
    json_auto_t *json = json_new_object();

    if (progress->id.len > 0)
        json_put(json, "workflowId", json_new_str(progress->id));
    if (progress->run_id.len > 0)
        json_put(json, "runId", json_new_str(progress->run_id));
    if (progress->first.len > 0)
        json_put(json, "firstWorkflowId", json_new_str(progress->first));
    json_put(json, "workflows", json_new_int(progress->count));
    json_put(json, "ended", json_boolean(progress->has_ended));
    if (progress->clean > 0)
        json_put(json, "clean", json_new_int(progress->clean));
    return keep(json, arena);
}

struct str flow_key(struct str run, const struct flow_progress *progress, struct arena *arena)
{
    char text[FLOW_KEY_MAX];
    struct buf buf = BUF(text);

    buf_str(&buf, run);
    if (progress->count > 0)
        buf_printf(&buf, ".%" PRId32, progress->count + 1);
    must(!buf.cut);
    return arena_str(arena, buf_as_str(&buf));
}

/* ---- requests ---- */

/* The additional members of the request that the action sets. */
static json_t *more_of(const struct conductor_start *start)
{
    json_t *more = start->more.len > 0 ? json_of_kept(start->more) : NULL;

    return more ? more : json_new_object();
}

static bool has_own_key(const json_t *more)
{
    return str_at(more, "idempotencyKey").len > 0;
}

static json_t *event_of(struct str schedule, struct arena *arena)
{
    static const struct str before = {"scheduler:", 10};
    struct buf text = arena_buf(arena, before.len + schedule.len + 1);

    buf_str(&text, before);
    buf_str(&text, schedule);
    return json_new_str(buf_as_str(&text));
}

struct str conductor_start_body(const struct conductor_start *start, struct arena *arena)
{
    json_auto_t *json = json_new_object(), *more = more_of(start);
    json_t *input = json_of_kept(start->input);

    must(input != NULL);
    json_put(json, "name", json_new_str(start->name));
    if (start->version > 0)
        json_put(json, "version", json_new_int(start->version));
    json_put(json, "correlationId", json_new_str(start->correlation_id));
    if (!has_own_key(more)) {
        json_put(json, "idempotencyKey", json_new_str(start->key));
        json_put(json, "idempotencyStrategy", json_of_word("RETURN_EXISTING"));
    }
    json_put(json, "input", input);
    if (start->schedule.len > 0)
        json_put(json, "event", event_of(start->schedule, arena));
    must(json_object_update_missing(json, more) == 0);
    return keep(json, arena);
}

/* Escapes everything except the unreserved characters of RFC 3986. */
static void add_escaped(struct buf *url, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (char_is_alpha(c) || char_is_digit(c) || (c != '\0' && strchr("-._~", c)))
            buf_char(url, c);
        else
            buf_printf(url, "%%%02X", (unsigned char)c);
    }
}

static struct buf new_url(struct str base, size_t names, struct arena *arena)
{
    struct buf url = arena_buf(arena, base.len + ESCAPED * names + URL_MORE);

    buf_str(&url, base);
    buf_text(&url, "/workflow");
    return url;
}

struct str conductor_url_start(struct str base, struct arena *arena)
{
    struct buf url = new_url(base, 0, arena);

    return buf_whole(&url);
}

struct str conductor_url_get(struct str base, struct str id, struct arena *arena)
{
    struct buf url = new_url(base, id.len, arena);

    buf_char(&url, '/');
    add_escaped(&url, id);
    buf_text(&url, "?includeTasks=false");
    return buf_whole(&url);
}

struct str conductor_url_end(struct str base, struct str id, struct str reason,
                             struct arena *arena)
{
    struct buf url = new_url(base, id.len + reason.len, arena);

    buf_char(&url, '/');
    add_escaped(&url, id);
    buf_text(&url, "?reason=");
    add_escaped(&url, reason);
    return buf_whole(&url);
}

struct str conductor_url_find(struct str base, const struct conductor_start *start,
                              struct arena *arena)
{
    struct buf url = new_url(base, start->name.len + start->correlation_id.len, arena);

    buf_char(&url, '/');
    add_escaped(&url, start->name);
    buf_text(&url, "/correlated/");
    add_escaped(&url, start->correlation_id);
    buf_text(&url, "?includeClosed=true&includeTasks=false");
    return buf_whole(&url);
}

struct str conductor_url_search(struct str base, struct str query, int32_t from, int32_t count,
                                struct arena *arena)
{
    struct buf url = new_url(base, query.len, arena);

    buf_printf(&url,
               "/search?start=%" PRId32 "&size=%" PRId32 "&sort=startTime:DESC&query=", from,
               count);
    add_escaped(&url, query);
    return buf_whole(&url);
}

struct str conductor_url_running(struct str base, struct str name, struct arena *arena)
{
    struct buf url = new_url(base, name.len, arena);

    buf_text(&url, "/running/");
    add_escaped(&url, name);
    return buf_whole(&url);
}

/* ---- answers ---- */

static struct str trim_blanks(struct str s)
{
    while (s.len > 0 && strchr(" \t\r\n", s.ptr[s.len - 1]))
        s.len--;
    while (s.len > 0 && strchr(" \t\r\n", s.ptr[0]))
        s = str_from(s, 1);
    return s;
}

/*
 * The list may have a hundred thousand ids, so no JSON value is made of it.  Ids with escapes
 * do not occur.
 */
bool conductor_next_running(struct str *rest, struct str *ret_id)
{
    struct str text = trim_blanks(*rest);
    const char *end;

    if (str_eq(text, STR("]")) || str_eq(text, STR("[]")))
        *rest = (struct str){0};
    if (text.len < 2 || (text.ptr[0] != '[' && text.ptr[0] != ','))
        return false;
    text = trim_blanks(str_from(text, 1));
    if (text.len == 0 || text.ptr[0] != '"')
        return false;
    text = str_from(text, 1);
    end = memchr(text.ptr, '"', text.len);
    if (!end || end == text.ptr + text.len - 1 || /* the list is cut */
        memchr(text.ptr, '\\', (size_t)(end - text.ptr)))
        return false;
    *ret_id = (struct str){text.ptr, (size_t)(end - text.ptr)};
    *rest = str_from(text, ret_id->len + 1);
    return true;
}

struct str conductor_id_of(struct str body, struct arena *arena)
{
    struct str text = trim_blanks(body), id = text;
    json_auto_t *json = NULL;
    struct err err;

    if (text.len > 0 && (text.ptr[0] == '"' || text.ptr[0] == '{')) {
        if (json_read(text, &json, &err) != RC_OK)
            return (struct str){0};
        id = json_is_string(json)
                 ? (struct str){json_string_value(json), json_string_length(json)}
                 : str_at(json, "workflowId");
    }
    return is_id(id) ? arena_str(arena, id) : (struct str){0};
}

static enum flow_status status_of(struct str word)
{
    static const struct {
        const char *word;
        enum flow_status status;
    } ends[] = {
        {"COMPLETED", FLOW_COMPLETED},
        {"FAILED", FLOW_FAILED},
        {"TIMED_OUT", FLOW_TIMED_OUT},
        {"TERMINATED", FLOW_TERMINATED},
    };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_eq(word, str_of(ends[i].word)))
            return ends[i].status;
    return word.len > 0 ? FLOW_OPEN : FLOW_UNREAD;
}

/*
 * Moves *at from the opening quote to the closing one; returns false if the text ends before.
 */
static bool skip_string(struct str s, size_t *at)
{
    for (size_t i = *at + 1; i < s.len; i++) {
        if (s.ptr[i] == '\\') {
            i++;
        } else if (s.ptr[i] == '"') {
            *at = i;
            return true;
        }
    }
    return false;
}

/*
 * Finds the text of a member of the outermost object in JSON that is cut off, too deep or too
 * large to parse: Conductor writes the status before input and output.
 */
static struct str scan_member(struct str s, struct str name)
{
    int depth = 0;
    bool is_wanted = false; /* the last string was the name, without a comma after it */

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        size_t from = i;

        if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
        if (c == ':' || strchr(" \t\r\n", c))
            continue;
        if (c != '"') {
            is_wanted = false;
            continue;
        }
        if (!skip_string(s, &i))
            return (struct str){0};
        if (is_wanted)
            return (struct str){s.ptr + from + 1, i - from - 1};
        is_wanted = depth == 1 && str_eq((struct str){s.ptr + from + 1, i - from - 1}, name);
    }
    return (struct str){0};
}

static struct flow_seen seen_by_scan(struct str body, struct arena *arena)
{
    struct str word = scan_member(body, STR("status"));

    return (struct flow_seen){
        .status = status_of(word),
        .word = arena_str(arena, word),
        .is_cut = true,
    };
}

struct flow_seen conductor_seen_of(struct str body, bool is_cut, struct arena *arena)
{
    json_auto_t *json = is_cut ? NULL : read_object(body);
    const json_t *output = json_object_get(json, "output");
    struct flow_seen seen = {0};
    struct err err;

    if (!json)
        return seen_by_scan(body, arena);
    seen.word = arena_str(arena, str_at(json, "status"));
    seen.status = status_of(seen.word);
    seen.reason = arena_str(arena, str_at(json, "reasonForIncompletion"));
    if (output && json_keep(output, FLOW_OUTPUT_MAX, arena, &seen.output, &err) != RC_OK)
        seen.is_cut = true;
    return seen;
}

struct str flow_result(const struct flow_progress *progress, const struct flow_seen *seen,
                       struct arena *arena)
{
    json_auto_t *json = json_new_object();

    json_put(json, "workflowId", json_new_str(progress->id));
    if (progress->run_id.len > 0)
        json_put(json, "runId", json_new_str(progress->run_id));
    if (progress->first.len > 0)
        json_put(json, "firstWorkflowId", json_new_str(progress->first));
    json_put(json, "status", json_new_str(seen->word));
    json_put(json, "output", seen->output.len > 0 ? json_of_kept(seen->output) : json_null());
    json_put(json, "truncated", json_boolean(seen->is_cut));
    return keep(json, arena);
}

/* Whether a summary's input, printed as JSON or as Java prints a map, has this run id. */
static bool has_run_id(struct str input, struct str run)
{
    static const struct str name = {"_executionId", 12};

    for (size_t at = 0; at + name.len + run.len < input.len; at++) {
        struct str rest = str_from(input, at + name.len);

        if (memcmp(input.ptr + at, name.ptr, name.len) != 0)
            continue;
        while (rest.len > 0 && strchr("\\\":= ", rest.ptr[0]))
            rest = str_from(rest, 1);
        if (str_starts(rest, run) &&
            (rest.len == run.len || strchr("\\\",} ", rest.ptr[run.len])))
            return true;
    }
    return false;
}

/* `key` is empty if the action sets its own key, which does not identify the run. */
static bool belongs_to_run(const json_t *workflow, struct str run, struct str key)
{
    const json_t *input = json_object_get(workflow, "input");
    struct str workflow_key = str_at(workflow, "idempotencyKey");

    if (workflow_key.len > 0 && key.len > 0)
        return str_eq(workflow_key, key);
    return json_is_string(input) ? has_run_id(str_at(workflow, "input"), run)
                                 : str_eq(str_at(input, "_executionId"), run);
}

/* A large input is stored elsewhere; Belfry's own inputs are never empty. */
static bool hides_input(const json_t *workflow, struct str key)
{
    const json_t *input = json_object_get(workflow, "input");

    if (str_at(workflow, "idempotencyKey").len > 0 && key.len > 0)
        return false;
    return str_at(workflow, "externalInputPayloadStoragePath").len > 0 ||
           !(json_is_object(input) || json_string_length(input) > 0);
}

/* A workflow has createTime as a number, a summary has startTime as text in UTC. */
static bool is_newer(const json_t *workflow, const json_t *than)
{
    json_int_t at = json_integer_value(json_object_get(workflow, "createTime"));
    json_int_t other_at = json_integer_value(json_object_get(than, "createTime"));
    const char *text = json_string_value(json_object_get(workflow, "startTime"));
    const char *other_text = json_string_value(json_object_get(than, "startTime"));

    if (!than || at != other_at)
        return !than || at > other_at;
    return text && other_text && strcmp(text, other_text) > 0;
}

struct conductor_hit conductor_found(const json_t *list, struct str run,
                                     const struct conductor_start *start, struct arena *arena)
{
    json_auto_t *more = more_of(start);
    struct str key = has_own_key(more) ? (struct str){0} : start->key, id;
    const json_t *newest = NULL;
    struct conductor_hit hit = {0};

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *workflow = json_array_get(list, i);

        if (belongs_to_run(workflow, run, key))
            newest = is_newer(workflow, newest) ? workflow : newest;
        else
            hit.has_gap = hit.has_gap || hides_input(workflow, key);
    }
    id = str_at(newest, "workflowId");
    if (is_id(id))
        hit.id = arena_str(arena, id);
    return hit;
}

void conductor_message(struct str body, struct buf *out)
{
    json_auto_t *json = read_object(body);
    struct str message = str_at(json, "message");
    char text[MESSAGE_MAX];
    size_t len;

    message = message.len > 0 ? message : trim_blanks(body);
    len = message.len < sizeof text ? message.len : sizeof text;
    if (len > 0)
        memcpy(text, message.ptr, len);
    text_repair(text, len);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ')
            text[i] = ' ';
    buf_add(out, text, len);
}
