/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads Server-Sent Events (WHATWG HTML, section 9.2.6) and resumes broken streams.
 */
#include <poll.h>
#include <stdlib.h>

#include "base/must.h"
#include "cli/frame/report.h"
#include "cli/remote/remote_parts.h"

enum {
    EVENT_MAX = 8 << 20, /* bytes of one event: a run's largest result, escaped */
    EVENT_NAME_MAX = 64,
    TRIES_MAX = 60,  /* attempts in a row without an event; a server restarts in less time */
    PAUSE_MS = 1000, /* before each further attempt                                        */
    HTTP_UNAVAILABLE = 503,
    HEAD_MAX = 4096, /* bytes of an answer that is not a stream */
};

struct stream {
    struct remote *remote;
    remote_event *event;
    void *arg;
    char *line, *data; /* each of EVENT_MAX bytes */
    size_t line_len, data_len;
    char head[HEAD_MAX]; /* the first bytes of the answer */
    size_t head_len;
    bool has_data, is_broken, is_done, got_event;
    char id[EVENT_ID_MAX];   /* of the last complete event        */
    char next[EVENT_ID_MAX]; /* of the event that is being read   */
    char name[EVENT_NAME_MAX];
};

static void end_event(struct stream *s)
{
    size_t len = s->data_len > 0 ? s->data_len - 1 : 0; /* without the last line break */

    memcpy(s->id, s->next, sizeof s->id);
    s->remote->has_begun = s->id[0] != '\0';
    if (s->has_data) {
        s->got_event = true;
        s->is_done = !s->event(s->arg, str_of(s->id), str_of(s->name),
                               (struct str){s->data, len});
    }
    s->has_data = false;
    s->data_len = 0;
    s->name[0] = '\0';
}

static void keep_text(char *to, size_t room, struct str value)
{
    struct buf out = {.ptr = to, .cap = room};

    buf_str(&out, value);
    if (out.cut)
        to[0] = '\0';
}

static void read_line(struct stream *s, struct str line)
{
    struct str name = line, value = STR("");

    if (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    if (line.len == 0) {
        end_event(s);
        return;
    }
    name = line;
    str_cut(line, ':', &name, &value);
    if (value.len > 0 && value.ptr[0] == ' ')
        value = str_from(value, 1);
    if (str_eq(name, STR("id"))) {
        keep_text(s->next, sizeof s->next, value);
    } else if (str_eq(name, STR("event"))) {
        keep_text(s->name, sizeof s->name, value);
    } else if (str_eq(name, STR("data"))) {
        s->has_data = true;
        if (value.len + 1 > EVENT_MAX - s->data_len) {
            s->is_broken = true;
            return;
        }
        memcpy(s->data + s->data_len, value.ptr, value.len);
        s->data_len += value.len;
        s->data[s->data_len++] = '\n';
    }
}

static bool on_part(void *arg, struct str bytes)
{
    struct stream *s = arg;

    for (size_t i = 0; i < bytes.len && s->head_len < HEAD_MAX; i++)
        s->head[s->head_len++] = bytes.ptr[i];
    for (size_t i = 0; i < bytes.len && !s->is_done && !s->is_broken; i++) {
        if (bytes.ptr[i] == '\n') {
            read_line(s, (struct str){s->line, s->line_len});
            s->line_len = 0;
        } else if (s->line_len == EVENT_MAX) {
            s->is_broken = true;
        } else {
            s->line[s->line_len++] = bytes.ptr[i];
        }
    }
    return !s->is_done && !s->is_broken;
}

/* The answer is not a stream; its body is short. */
static int report_refusal(struct stream *s, const struct remote_request *request, int status)
{
    struct remote_answer answer = {.status = status, .text = s->head, .len = s->head_len};
    int code;

    answer.json = json_loadb(s->head, s->head_len, JSON_REJECT_DUPLICATES, NULL);
    code = remote_check(s->remote, request, &answer);
    json_decref(answer.json);
    return code;
}

/* Reads one connection: STATUS_OK when the server or the event handler ended the stream. */
static int read_once(struct stream *s, const char *path)
{
    struct remote *remote = s->remote;
    struct remote_request request = {.path = path};
    struct fetch_answer answer = {.status = 0};
    struct buf from = BUF(remote->stream_from);
    int status;

    s->line_len = s->data_len = s->head_len = 0;
    s->has_data = false;
    memcpy(s->next, s->id, sizeof s->next);
    remote->has_begun = s->id[0] != '\0';
    if (remote->has_begun)
        buf_printf(&from, "Last-Event-ID: %s", s->id);
    remote->is_streaming = true;
    status = remote_send(remote, &request, on_part, s, &answer);
    remote->is_streaming = false;
    remote->stream_from[0] = '\0';
    if (status != STATUS_OK)
        return status;
    if (answer.status == HTTP_UNAVAILABLE && remote->has_begun)
        return STATUS_UNREACHABLE;
    if (answer.status != 200)
        return report_refusal(s, &request, answer.status);
    if (s->is_broken) {
        report_note("%s sent an event of more than %d bytes", remote->server, EVENT_MAX);
        return STATUS_PROTOCOL;
    }
    return STATUS_OK;
}

/* True if the stream broke or ended early, and has an id to resume from. */
static bool should_resume(const struct stream *s, int status)
{
    return !s->is_done && s->id[0] != '\0' &&
           (status == STATUS_OK || status == STATUS_UNREACHABLE);
}

int remote_stream(struct remote *remote, const char *path, remote_event *event, void *arg)
{
    struct stream s = {.remote = remote, .event = event, .arg = arg};
    int tries = 0, status;

    s.line = malloc(EVENT_MAX);
    s.data = malloc(EVENT_MAX);
    must(s.line && s.data);
    do {
        if (tries > 0)
            poll(NULL, 0, PAUSE_MS);
        s.got_event = false;
        status = read_once(&s, path);
        tries = s.got_event ? 1 : tries + 1;
    } while (should_resume(&s, status) && tries < TRIES_MAX);
    if (should_resume(&s, status)) {
        report_note("lost the connection to %s; gave up after %d attempts", remote->server,
                    TRIES_MAX);
        status = STATUS_UNREACHABLE;
    }
    free(s.line);
    free(s.data);
    return status;
}
