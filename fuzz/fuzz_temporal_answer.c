/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as an answer of an upstream Temporal: as its body, as each of its messages, as its
 * fields.
 *
 * For any bytes, an end has a reason, the id of a run fits into its buffer, and a result is
 * JSON.
 */
#include "base/must.h"
#include "model/member.h"
#include "server/dispatch/temporal_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_look(struct str message, struct arena *arena)
{
    struct temporal_look look = temporal_look_of(message, arena);
    const struct flow_seen *seen = &look.seen;
    struct str progress = flow_result(&(struct flow_progress){.id = STR("w")}, seen, arena);
    json_auto_t *json = json_of_kept(progress);

    must(json != NULL);
    must(look.next_run.len <= TEMPORAL_RUN_MAX);
    must(look.next_run.len == 0 || seen->status == FLOW_OPEN);
    must(seen->status <= FLOW_OPEN || seen->word.len > 0);
    must(seen->output.len <= FLOW_OUTPUT_MAX);
}

static void check_answer(struct str text, struct arena *arena)
{
    const struct webhook_header headers[] = {
        {STR("grpc-status"), {text.ptr, text.len < 2 ? text.len : 1}},
        {STR("grpc-message"), text},
        {STR("grpc-status-details-bin"), text},
    };
    const struct webhook_result result = {
        .status = 200, .headers = headers, .header_count = 3, .body = text};
    struct temporal_reply reply = temporal_reply_of(&result, arena);

    must(str_is_utf8(reply.words));
    must(grpc_status_text(reply.status) != NULL);
    if (reply.status == GRPC_OK)
        check_look(reply.message, arena);
    must(temporal_exists(reply.details, arena).run_id.len <= TEMPORAL_RUN_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};
    struct arena *arena = arena_new(256 << 20);

    check_look(text, arena);
    check_answer(text, arena);
    must(temporal_started(text, arena).len <= TEMPORAL_RUN_MAX);
    must(temporal_found(text, STR("belfry"), arena).len <= TEMPORAL_RUN_MAX);
    must(temporal_exists(text, arena).run_id.len <= TEMPORAL_RUN_MAX);
    arena_free(arena);
    return 0;
}
