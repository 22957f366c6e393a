/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the lists of upstreams with many followed workflows: Conductor's ids of all workflows
 * of a name that run, and Temporal's runs of workflows that have ended.
 *
 * A list only says which workflow is looked at next.  So an answer that is late, incomplete or
 * wrong delays the end of a workflow, but loses nothing.  docs/decisions/0053.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "io/clock.h"
#include "server/dispatch/dispatch_workflow_parts.h"
#include "server/dispatch/followers_lists.h"
#include "server/dispatch/temporal_wire.h"

#define METHOD "/temporal.api.workflowservice.v1.WorkflowService/ListWorkflowExecutions"

enum {
    SCRATCH_MAX = 64 << 20, /* a request, and a parsed answer of DISPATCH_FOLLOW_MAX */
    PAGES_MAX = 20,         /* of a reading: 10,000 ends in a few seconds            */
    PAGE_SHRINK = 10,       /* a page that is too large is asked for in parts        */
    HEADERS_MAX = 3,        /* set by Belfry                                         */
    TIMEOUT_TEXT_MAX = 16,  /* "30000m"                                              */
    SUCCESS = 200,
};

#define FIRST_WINDOW SPAN_H        /* before the first reading: ends during a restart    */
#define OVERLAP      (30 * SPAN_S) /* the upstream may show an end after a newer one     */

struct list_reading {
    struct dispatcher *dispatcher;
    struct follow_list list;
    struct arena *scratch; /* of the current request and answer */
    bool is_temporal;
    /* For Temporal. */
    int pages;
    int32_t page_size;
    instant newest; /* end that was seen */
    char token[TEMPORAL_TOKEN_MAX];
    size_t token_len;
};

static void finish(struct list_reading *reading, bool is_complete)
{
    struct dispatcher *dispatcher = reading->dispatcher;
    int64_t since = reading->newest - OVERLAP;

    if (since < reading->list.since)
        since = reading->list.since;
    followers_end_list(dispatcher->followers, &reading->list, is_complete, since,
                       clock_boot_us());
    arena_free(reading->scratch);
    free(reading);
    follow_set_timer(dispatcher);
}

/* ---- requests ---- */

static const struct upstream_settings *upstream_of(const struct list_reading *reading)
{
    const struct dispatch_settings *settings = dispatcher_settings(reading->dispatcher,
                                                                   reading->list.namespace);

    return upstream_settings(&settings->plain, reading->list.upstream);
}

static struct str page_url(struct str base, struct arena *arena)
{
    struct buf url = arena_buf(arena, base.len + sizeof METHOD);

    buf_str(&url, base);
    buf_text(&url, METHOD);
    return buf_whole(&url);
}

static void fill_page_request(struct list_reading *reading,
                              const struct upstream_settings *upstream,
                              struct webhook_request *request)
{
    struct webhook_header *extra = arena_array(reading->scratch, HEADERS_MAX, sizeof *extra);
    struct buf timeout = arena_buf(reading->scratch, TIMEOUT_TEXT_MAX);

    buf_printf(&timeout, "%" PRId64 "m", request->total_us / SPAN_MS);
    extra[0] = (struct webhook_header){STR("content-type"), STR("application/grpc")};
    extra[1] = (struct webhook_header){STR("grpc-timeout"), buf_whole(&timeout)};
    extra[2] = (struct webhook_header){STR("temporal-namespace"), upstream->namespace};
    request->method = STR("POST");
    request->url = page_url(upstream->url, reading->scratch);
    request->has_body = true;
    request->body = temporal_closed_body(
        upstream->namespace, reading->list.since, reading->page_size,
        (struct str){reading->token, reading->token_len}, reading->scratch);
    request->extra = extra;
    request->extra_count = HEADERS_MAX;
    request->keep_headers = temporal_stored_headers;
    request->keep_header_count = temporal_stored_header_count;
    request->is_h2 = true;
}

static webhook_done on_answer;

static void send_request(struct list_reading *reading)
{
    struct dispatcher *dispatcher = reading->dispatcher;
    const struct upstream_settings *upstream = upstream_of(reading);
    const struct flow_limits *limits = dispatcher->flow ? dispatcher->flow
                                                        : &flow_limits_default;
    struct address_policy policy = dispatcher_address_policy(dispatcher,
                                                             reading->list.namespace);
    struct webhook_request request;
    struct err err;

    if (!upstream || (upstream->type == UPSTREAM_TEMPORAL) != reading->is_temporal ||
        (!reading->is_temporal && reading->list.name.len == 0)) {
        finish(reading, false);
        return;
    }
    arena_reset(reading->scratch);
    request = upstream_request(upstream, limits, &policy, reading->scratch);
    request.id = ++dispatcher->last_id;
    request.keep_bytes = DISPATCH_FOLLOW_MAX;
    if (reading->is_temporal)
        fill_page_request(reading, upstream, &request);
    else
        request.url = conductor_url_running(upstream->url, reading->list.name,
                                            reading->scratch);
    if (webhook_start(dispatcher->follow, &request, on_answer, reading, &err) != RC_OK)
        finish(reading, false);
}

/* ---- answers ---- */

static bool read_running(struct list_reading *reading, struct str body)
{
    struct followers *all = reading->dispatcher->followers;
    struct str id;

    if (body.len == 0)
        return false;
    while (conductor_next_running(&body, &id))
        followers_see_running(all, &reading->list, id);
    if (body.len > 0)
        return false;
    followers_see_no_more(all, &reading->list, clock_boot_us());
    return true;
}

static void next_page(struct list_reading *reading)
{
    followers_continue_list(&reading->list);
    send_request(reading);
}

static void read_page(struct list_reading *reading, const struct temporal_closed *page)
{
    struct followers *all = reading->dispatcher->followers;
    int64_t now = clock_boot_us();

    for (int i = 0; i < page->count; i++) {
        const struct temporal_run_end *end = &page->list[i];

        followers_see_ended(all, &reading->list, end->workflow_id, end->run_id, now);
        if (end->closed_at > reading->newest)
            reading->newest = end->closed_at;
    }
    reading->token_len = page->token.len <= sizeof reading->token ? page->token.len : 0;
    if (reading->token_len > 0)
        memcpy(reading->token, page->token.ptr, reading->token_len);
    reading->pages++;
    if (page->token.len == 0)
        finish(reading, true);
    else if (reading->token_len == 0 || reading->pages >= PAGES_MAX)
        finish(reading, false);
    else
        next_page(reading);
}

static void read_temporal(struct list_reading *reading, const struct webhook_result *result)
{
    struct temporal_reply reply;
    struct temporal_closed page = {0};

    if (result->is_cut && reading->page_size >= PAGE_SHRINK) {
        reading->page_size /= PAGE_SHRINK;
        reading->token_len = 0; /* a token may depend on the size: begin again */
        next_page(reading);
        return;
    }
    reply = temporal_reply_of(result, reading->scratch);
    if (reply.status == GRPC_OK && !result->is_cut)
        page = temporal_closed_of(reply.message, reading->scratch);
    if (page.is_read)
        read_page(reading, &page);
    else
        finish(reading, false);
}

static void on_answer(void *arg, const struct webhook_result *result)
{
    struct list_reading *reading = arg;

    if (result->kind != WEBHOOK_ANSWERED)
        finish(reading, false);
    else if (reading->is_temporal)
        read_temporal(reading, result);
    else
        finish(reading, result->status == SUCCESS && !result->is_cut &&
                            read_running(reading, result->body));
}

/* ---- readings ---- */

static void begin_reading(struct dispatcher *dispatcher, const struct follow_list *list)
{
    struct list_reading *reading = calloc(1, sizeof *reading);
    const struct upstream_settings *upstream;

    must(reading);
    reading->dispatcher = dispatcher;
    reading->list = *list;
    reading->scratch = arena_new(SCRATCH_MAX);
    reading->page_size = TEMPORAL_PAGE;
    upstream = upstream_of(reading);
    reading->is_temporal = upstream && upstream->type == UPSTREAM_TEMPORAL;
    if (reading->list.since == 0)
        reading->list.since = clock_now() - FIRST_WINDOW;
    send_request(reading);
}

void follow_read_lists(struct dispatcher *dispatcher, follow_limits_of *limits)
{
    struct follow_list list;

    while (
        !dispatcher->is_draining && !dispatcher->is_closing &&
        followers_begin_list(dispatcher->followers, clock_boot_us(), limits, dispatcher, &list))
        begin_reading(dispatcher, &list);
}
