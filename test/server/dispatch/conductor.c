/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the stand-in for Conductor on top of bad_server.
 */
#include "conductor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/must.h"
#include "wire/json/json.h"

#define BASE "/api/workflow"

static void copy_member(const json_t *json, const char *name, char *to, size_t room)
{
    const char *text = json_string_value(json_object_get(json, name));

    snprintf(to, room, "%s", text ? text : "");
}

static struct conductor_flow *by_id(struct conductor *conductor, const char *id)
{
    size_t len = strcspn(id, "?");

    for (int i = 0; i < conductor->count; i++)
        if (strlen(conductor->flows[i].id) == len &&
            strncmp(conductor->flows[i].id, id, len) == 0)
            return &conductor->flows[i];
    return NULL;
}

static void answer_with(struct conductor *conductor, int status, const char *type,
                        const char *body)
{
    struct buf out = {.ptr = conductor->answer, .cap = CONDUCTOR_ANSWER_MAX};

    buf_printf(&out, "HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", status,
               type, strlen(body));
    buf_text(&out, body);
    must(!out.cut);
    conductor->script = (struct bad_script){.path = "", .bytes = buf_as_str(&out)};
}

static struct conductor_flow *start_flow(struct conductor *conductor, const char *body)
{
    struct conductor_flow *flow = &conductor->flows[conductor->count];
    json_auto_t *json = NULL;
    struct buf input = BUF(flow->input);
    struct err err;

    must(json_read(str_of(body), &json, &err) == RC_OK);
    must(conductor->count < CONDUCTOR_FLOWS_MAX);
    copy_member(json, "idempotencyKey", flow->key, sizeof flow->key);
    for (int i = 0; i < conductor->count && conductor->supports_keys; i++)
        if (strcmp(conductor->flows[i].key, flow->key) == 0)
            return &conductor->flows[i];
    conductor->count++;
    snprintf(flow->id, sizeof flow->id, "wf-%d", conductor->count);
    copy_member(json, "correlationId", flow->correlation, sizeof flow->correlation);
    json_print(json_object_get(json, "input"), JSON_STYLE_LINE, &input);
    must(!input.cut);
    flow->status = "RUNNING";
    flow->output = "{}";
    return flow;
}

static void print_flow(const struct conductor *conductor, const struct conductor_flow *flow,
                       struct buf *out)
{
    buf_printf(out,
               "{\"ownerApp\":\"\",\"createTime\":%d,\"status\":\"%s\",\"endTime\":0,"
               "\"workflowId\":\"%s\",\"tasks\":[],\"input\":%s,\"output\":",
               1000 + (int)(flow - conductor->flows), flow->status, flow->id,
               conductor->hides_inputs ? "null" : flow->input);
    buf_text(out, flow->output);
    buf_printf(out, ",\"correlationId\":\"%s\",\"reasonForIncompletion\":\"%s\"",
               flow->correlation, flow->reason ? flow->reason : "");
    if (conductor->supports_keys)
        buf_printf(out, ",\"idempotencyKey\":\"%s\"", flow->key);
    buf_text(out, "}");
}

static void show(struct conductor *conductor, const struct conductor_flow *flow)
{
    struct buf body = {.cap = CONDUCTOR_ANSWER_MAX};

    body.ptr = malloc(body.cap);
    must(body.ptr != NULL);
    print_flow(conductor, flow, &body);
    must(!body.cut);
    answer_with(conductor, 200, "application/json", body.ptr);
    free(body.ptr);
}

/* The number of workflows that lists show. */
static int count_listed(struct conductor *conductor)
{
    return conductor->hidden > 0 && conductor->hidden-- > 0 ? conductor->count - 1
                                                            : conductor->count;
}

/* …/{name}/correlated/{id}?… */
static void find(struct conductor *conductor, const char *correlation)
{
    size_t len = strcspn(correlation, "?");
    int count = count_listed(conductor);
    struct buf body = {.cap = CONDUCTOR_ANSWER_MAX};

    body.ptr = malloc(body.cap);
    must(body.ptr != NULL);
    buf_text(&body, "[");
    for (int i = 0; i < count; i++) {
        const struct conductor_flow *flow = &conductor->flows[i];

        if (strlen(flow->correlation) != len || strncmp(flow->correlation, correlation, len))
            continue;
        buf_text(&body, body.len > 1 ? "," : "");
        print_flow(conductor, flow, &body);
    }
    buf_text(&body, "]");
    must(!body.cut);
    answer_with(conductor, 200, "application/json", body.ptr);
    free(body.ptr);
}

/* Conductor's summaries have the input as a text: a map as Java prints it. */
static void print_summary(const struct conductor *conductor, const struct conductor_flow *flow,
                          struct buf *out)
{
    json_auto_t *input = NULL;
    const char *separator = "", *key;
    json_t *value;
    struct err err;

    must(json_read(str_of(flow->input), &input, &err) == RC_OK);
    buf_printf(out,
               "{\"workflowType\":\"wf\",\"workflowId\":\"%s\",\"startTime\":"
               "\"2026-01-01T00:%02d:%02d.000Z\",\"correlationId\":\"%s\",\"input\":\"",
               flow->id, (int)(flow - conductor->flows) / 60,
               (int)(flow - conductor->flows) % 60, flow->correlation);
    if (!conductor->hides_inputs) {
        buf_text(out, "{");
        json_object_foreach(input, key, value)
        {
            buf_printf(out, "%s%s=%s", separator, key,
                       json_is_string(value) ? json_string_value(value) : "1");
            separator = ", ";
        }
        buf_text(out, "}");
    }
    buf_text(out, "\"}");
}

/* The value of a query such as correlationId%3D%27c-1%27%20AND… */
static bool matches_query(const struct conductor_flow *flow, const char *query)
{
    const char *clause = strstr(query, "correlationId%3D%27");
    size_t len = strlen(flow->correlation);

    must(strstr(query, "workflowType%3D%27wf%27") && strstr(query, "startTime%3E"));
    if (!clause)
        return true;
    clause += strlen("correlationId%3D%27");
    return strncmp(clause, flow->correlation, len) == 0 && strncmp(clause + len, "%27", 3) == 0;
}

/* …/search?start=0&size=100&sort=startTime:DESC&query=… */
static void search(struct conductor *conductor, const char *path)
{
    int from = 0, size = 0, hits = 0, shown = 0, count = count_listed(conductor);
    struct buf body = {.cap = CONDUCTOR_ANSWER_MAX};

    must(sscanf(path, "/search?start=%d&size=%d&sort=startTime:DESC&query=", &from, &size) ==
         2);
    body.ptr = malloc(body.cap);
    must(body.ptr != NULL);
    buf_text(&body, "{\"results\":[");
    for (int i = count - 1; i >= 0; i--) {
        if (!matches_query(&conductor->flows[i], path) || hits++ < from || shown == size)
            continue;
        buf_text(&body, shown++ > 0 ? "," : "");
        print_summary(conductor, &conductor->flows[i], &body);
    }
    buf_printf(&body, "],\"totalHits\":%d}", hits);
    must(!body.cut);
    answer_with(conductor, 200, "application/json", body.ptr);
    free(body.ptr);
}

/* …/running/{name} */
static void list_running(struct conductor *conductor)
{
    struct buf body = {.cap = CONDUCTOR_ANSWER_MAX};

    body.ptr = malloc(body.cap);
    must(body.ptr != NULL);
    buf_char(&body, '[');
    for (int i = 0; i < conductor->count; i++)
        if (strcmp(conductor->flows[i].status, "RUNNING") == 0)
            buf_printf(&body, "%s\"%s\"", body.len > 1 ? "," : "", conductor->flows[i].id);
    buf_char(&body, ']');
    must(!body.cut);
    answer_with(conductor, 200, "application/json", body.ptr);
    free(body.ptr);
}

static void terminate(struct conductor *conductor, struct conductor_flow *flow)
{
    if (strcmp(flow->status, "RUNNING") != 0 && strcmp(flow->status, "PAUSED") != 0) {
        answer_with(conductor, 409, "application/json",
                    "{\"status\":409,\"message\":\"Cannot terminate a closed workflow.\"}");
        return;
    }
    flow->status = "TERMINATED";
    answer_with(conductor, 200, "text/plain", "");
}

static void carry_out(struct conductor *conductor, const struct bad_seen *seen)
{
    const char *path = strchr(seen->line, ' ') + 1;
    const char *found = strstr(path, "/correlated/"), *id = path + strlen(BASE) + 1;
    struct conductor_flow *flow = NULL;

    must(strncmp(path, BASE, strlen(BASE)) == 0);
    if (strncmp(seen->line, "POST ", 5) == 0) {
        answer_with(conductor, 200, "text/plain", start_flow(conductor, seen->body)->id);
    } else if (found && conductor->supports_correlated) {
        find(conductor, found + strlen("/correlated/"));
    } else if (conductor->supports_search && strncmp(id, "search?", 7) == 0) {
        search(conductor, id - 1);
    } else if (conductor->supports_running && strcmp(id, "running/wf") == 0) {
        list_running(conductor);
    } else if (!found && (flow = by_id(conductor, id)) != NULL) {
        if (strncmp(seen->line, "DELETE ", 7) == 0)
            terminate(conductor, flow);
        else
            show(conductor, flow);
    } else {
        answer_with(conductor, 404, "application/json",
                    "{\"status\":404,\"message\":\"No such workflow found\"}");
    }
}

static const struct bad_script *answers(void *arg, const struct bad_seen *seen)
{
    struct conductor *conductor = arg;

    for (int i = 0; i < conductor->fault_count; i++) {
        struct conductor_fault fault = conductor->faults[i];

        if (strncmp(seen->line, fault.method, strlen(fault.method)) != 0)
            continue;
        conductor->fault_count--;
        memmove(&conductor->faults[i], &conductor->faults[i + 1],
                (size_t)(conductor->fault_count - i) * sizeof fault);
        if (fault.is_done)
            carry_out(conductor, seen);
        if (fault.status > 0)
            answer_with(conductor, fault.status, "application/json", fault.body);
        else
            conductor->script = (struct bad_script){
                .path = "",
                .bytes = STR("H"),
                .end = fault.status == CONDUCTOR_HANGS ? BAD_STAYS : BAD_RESETS,
            };
        return &conductor->script;
    }
    carry_out(conductor, seen);
    return &conductor->script;
}

void conductor_start(struct conductor *conductor, uv_loop_t *loop)
{
    memset(conductor, 0, sizeof *conductor);
    bad_server_start(&conductor->server, loop);
    conductor->server.answers = answers;
    conductor->server.arg = conductor;
    conductor->supports_keys = true;
    conductor->supports_correlated = conductor->supports_search = true;
    conductor->supports_running = true;
    conductor->answer = malloc(CONDUCTOR_ANSWER_MAX);
    must(conductor->answer != NULL);
}

void conductor_stop(struct conductor *conductor)
{
    bad_server_stop(&conductor->server);
    free(conductor->answer);
}

void conductor_fail(struct conductor *conductor, int count, struct conductor_fault fault)
{
    must(conductor->fault_count + count <= CONDUCTOR_FAULTS_MAX);
    for (int i = 0; i < count; i++)
        conductor->faults[conductor->fault_count++] = fault;
}

int conductor_seen(const struct conductor *conductor, const char *line)
{
    int count = 0;

    for (int i = 0; i < conductor->server.seen_count; i++)
        if (strncmp(conductor->server.seen[i].line, line, strlen(line)) == 0)
            count++;
    return count;
}
