/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths of Conductor that an upstream answers, with the right that each needs.
 *
 * The rows are the request mappings of Conductor's REST controllers.  Reads need the right to
 * view; what workers send, that to work; what starts or steers workflows, that to operate;
 * definitions and deletions, that to edit.  Everything else below /api, known or not, is for an
 * admin of all namespaces: default deny.  The first row that matches counts.
 */
#include "api/conductor/conductor.h"

enum { FORWARDED_BODY_MAX = 16 << 20 }; /* bytes, as the largest payloads of Conductor */

/*
 * Bytes of a decoded segment by which Tomcat or a proxy could see another path: it removes what
 * follows a semicolon, and may take both slashes for separators.
 */
static bool is_ambiguous(struct str segment)
{
    for (size_t i = 0; i < segment.len; i++)
        if ((unsigned char)segment.ptr[i] < ' ' || segment.ptr[i] == 0x7f ||
            memchr("/\\;%", segment.ptr[i], 4))
            return true;
    return false;
}

/* Segments without the empty one of a trailing slash. */
static int count_segments(const struct http1_request *request)
{
    int count = request->segment_count;

    return count > 0 && request->segments[count - 1].len == 0 ? count - 1 : count;
}

static enum call_step forward_begin(struct call *call)
{
    const struct http1_request *request = call->request;
    int count = count_segments(request);

    for (int i = 0; i < count; i++)
        if (request->segments[i].len == 0 || is_ambiguous(request->segments[i]))
            return call_problem(call, 400, "invalid_field",
                                "the path must not contain empty segments, nor /, \\, ; or %% "
                                "in a segment: servers read them differently");
    if (str_eq(request->method, STR("TRACE")))
        return call_problem(call, 405, "not_found", "TRACE is not forwarded");
    return CALL_FORWARD;
}

#define PATH(verb, pattern, needs, ...)                                                       \
    {                                                                                         \
        .id = "conductor.forward", .method = verb, .path = "/api/" pattern, .right = (needs), \
        .body_max = FORWARDED_BODY_MAX, .summary = "Forward to the upstream",                 \
        .begin = forward_begin, .dialect = DIALECTS_CONDUCTOR, .is_forwarded = true,          \
        __VA_ARGS__                                                                           \
    }
#define READ(pattern)            PATH("GET", pattern, RIGHT_VIEW, )
#define WORKER_READ(pattern)     PATH("GET", pattern, RIGHT_VIEW, .other_right = RIGHT_WORK)
#define WORK(verb, pattern)      PATH(verb, pattern, RIGHT_WORK, )
#define POLL(pattern)            PATH("GET", pattern, RIGHT_WORK, .is_poll = true)
#define OPERATE(verb, pattern)   PATH(verb, pattern, RIGHT_OPERATE, )
#define WORK_OR_OPERATE(verb, p) PATH(verb, p, RIGHT_WORK, .other_right = RIGHT_OPERATE)
#define EDIT(verb, pattern)      PATH(verb, pattern, RIGHT_EDIT, )
#define SERVER(verb, pattern)    PATH(verb, pattern, RIGHT_SERVER, )

const struct operation conductor_paths[] = {
    /* TaskResource */
    POLL("tasks/poll/{type}"),
    POLL("tasks/poll/batch/{type}"),
    WORK("POST", "tasks"),
    WORK("POST", "tasks/update-v2"),
    SERVER("POST", "tasks/queue/requeue/{type}"),
    WORK("POST", "tasks/{task}/log"),
    OPERATE("POST", "tasks/{workflow}/{status}/signal"),
    OPERATE("POST", "tasks/{workflow}/{status}/signal/sync"),
    WORK_OR_OPERATE("POST", "tasks/{workflow}/{reference}/{status}"),
    WORK_OR_OPERATE("POST", "tasks/{workflow}/{reference}/{status}/sync"),
    WORKER_READ("tasks/{task}/log"),
    READ("tasks/queue/size"),
    READ("tasks/queue/sizes"),
    READ("tasks/queue/all"),
    READ("tasks/queue/all/verbose"),
    READ("tasks/queue/polldata"),
    READ("tasks/queue/polldata/all"),
    READ("tasks/search"),
    READ("tasks/search-v2"),
    WORK_OR_OPERATE("GET", "tasks/externalstoragelocation"), /* a place to write to */
    WORK_OR_OPERATE("GET", "tasks/external-storage-location"),
    WORKER_READ("tasks/{task}"),

    /* WorkflowBulkResource */
    OPERATE("PUT", "workflow/bulk/pause"),
    OPERATE("PUT", "workflow/bulk/resume"),
    OPERATE("POST", "workflow/bulk/restart"),
    OPERATE("POST", "workflow/bulk/retry"),
    OPERATE("POST", "workflow/bulk/terminate"),
    EDIT("DELETE", "workflow/bulk/remove"),
    EDIT("DELETE", "workflow/bulk/terminate-remove"),
    PATH("POST", "workflow/bulk/search", RIGHT_VIEW, ),

    /* WorkflowResource and WorkflowMessageQueueResource */
    OPERATE("POST", "workflow"),
    OPERATE("POST", "workflow/{name}"), /* also workflow/test */
    OPERATE("POST", "workflow/execute/{name}/{version}"),
    PATH("POST", "workflow/{name}/correlated", RIGHT_VIEW, ),
    READ("workflow/{name}/correlated/{id}"),
    READ("workflow/running/{name}"),
    READ("workflow/search"),
    READ("workflow/search-v2"),
    READ("workflow/search-by-tasks"),
    READ("workflow/search-by-tasks-v2"),
    WORK_OR_OPERATE("GET", "workflow/externalstoragelocation"),
    WORK_OR_OPERATE("GET", "workflow/external-storage-location"),
    WORKER_READ("workflow/{workflow}"),
    READ("workflow/{workflow}/tasks"),
    OPERATE("PUT", "workflow/decide/{workflow}"),
    OPERATE("PUT", "workflow/{workflow}/pause"),
    OPERATE("PUT", "workflow/{workflow}/resume"),
    OPERATE("PUT", "workflow/{workflow}/skiptask/{reference}"),
    OPERATE("POST", "workflow/{workflow}/rerun"),
    OPERATE("POST", "workflow/{workflow}/restart"),
    OPERATE("POST", "workflow/{workflow}/retry"),
    OPERATE("POST", "workflow/{workflow}/resetcallbacks"),
    OPERATE("POST", "workflow/{workflow}/messages"),
    OPERATE("DELETE", "workflow/{workflow}"),
    EDIT("DELETE", "workflow/{workflow}/remove"),
    EDIT("DELETE", "workflow/{workflow}/terminate-remove"),

    /* MetadataResource */
    WORKER_READ("metadata/workflow"),
    WORKER_READ("metadata/workflow/{name}"), /* also names-and-versions */
    EDIT("POST", "metadata/workflow"),
    EDIT("PUT", "metadata/workflow"),
    EDIT("DELETE", "metadata/workflow/{name}/{version}"),
    WORKER_READ("metadata/taskdefs"),
    WORKER_READ("metadata/taskdefs/{type}"),
    EDIT("POST", "metadata/taskdefs"),
    EDIT("PUT", "metadata/taskdefs"),
    EDIT("DELETE", "metadata/taskdefs/{type}"),

    /* EventResource */
    READ("event"),
    READ("event/{event}"), /* also event/queues */
    READ("event/queues/providers"),
    SERVER("POST", "event"),
    SERVER("PUT", "event"),
    SERVER("DELETE", "event/{name}"),

    /* QueueAdminResource: they complete tasks that wait */
    READ("queue"),
    READ("queue/size"),
    WORK_OR_OPERATE("POST", "queue/update/{workflow}/{reference}/{status}"),
    WORK_OR_OPERATE("POST", "queue/update/{workflow}/task/{task}/{status}"),

    /* The file API: workers exchange payloads through it */
    WORK_OR_OPERATE("POST", "files"),
    WORKER_READ("files/{workflow}/{file}"),
    WORK_OR_OPERATE("GET", "files/{workflow}/{file}/upload-url"),
    WORK_OR_OPERATE("POST", "files/{workflow}/{file}/upload-complete"),
    WORKER_READ("files/{workflow}/{file}/download-url"),
    WORKER_READ("files/content/{workflow}/{file}"),
    WORK_OR_OPERATE("PUT", "files/content/{workflow}/{file}"),
    WORK_OR_OPERATE("POST", "files/{workflow}/{file}/multipart"),
    WORK_OR_OPERATE("GET", "files/{workflow}/{file}/multipart/{upload}/part/{number}"),
    WORK_OR_OPERATE("POST", "files/{workflow}/{file}/multipart/{upload}/complete"),
    WORK_OR_OPERATE("DELETE", "files/{workflow}/{file}/multipart/{upload}"),

    WORKER_READ("version"),

    /* AdminResource, SecretResource, EnvironmentResource */
    SERVER("GET", "admin/config"),
    SERVER("GET", "admin/task/{type}"),
    SERVER("POST", "admin/sweep/requeue/{workflow}"),
    SERVER("POST", "admin/consistency/verifyAndRepair/{workflow}"),
    SERVER("GET", "secrets"),
    SERVER("GET", "environment"),
    SERVER("GET", "environment/{key}"),
};

const int conductor_path_count = sizeof conductor_paths / sizeof conductor_paths[0];

/* Without a row; the method is that of the rate limit. */
static const struct operation other_read = SERVER("GET", "{path}");
static const struct operation other_change = SERVER("POST", "{path}");

/* The second segments of Belfry's own paths: these are never forwarded. */
static bool is_belfrys(struct str segment)
{
    static const struct str prefixes[] = {{"v1", 2},   {"schedules", 9}, {"executions", 10},
                                          {"orgs", 4}, {"scheduler", 9}, {"token", 5}};

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (str_eq(segment, prefixes[i]))
            return true;
    return false;
}

const struct operation *conductor_path(const struct http1_request *request)
{
    int count = count_segments(request);
    bool is_read = str_eq(request->method, STR("GET")) || str_eq(request->method, STR("HEAD"));
    struct str method = is_read ? STR("GET") : request->method;

    if (count < 2 || !str_eq(request->segments[0], STR("api")) ||
        is_belfrys(request->segments[1]))
        return NULL;
    for (int i = 0; i < conductor_path_count; i++)
        if (str_eq(str_of(conductor_paths[i].method), method) &&
            operation_path_matches(conductor_paths[i].path, request->segments, count))
            return &conductor_paths[i];
    return is_read ? &other_read : &other_change;
}
