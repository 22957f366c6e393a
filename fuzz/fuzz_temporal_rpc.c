/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a query of Temporal's lists, and as the message of a spec.
 *
 * A query that parses can be evaluated; the canonical form of a spec, as a message, does not
 * change when it is made canonical again, and can be stored.
 */
#include "api/temporal/temporal_query.h"
#include "base/must.h"
#include "model/schedule_json.h"
#include "model/temporal_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_query(struct str text, struct arena *arena)
{
    struct schedule_view view = {.row.name = STR("name"), .cursor.next_at = INSTANT_NEVER};
    struct temporal_query *query;
    struct err err;

    if (temporal_query_parse(text, arena, &query, &err) == RC_OK)
        temporal_query_fits(query, &view, NULL);
    else
        must(err.text[0] != '\0');
}

/* The spec of a document that is stored must read back. */
static void check_stored(const struct temporal_spec *spec, struct arena *arena)
{
    struct schedule_doc doc = schedule_doc_default();
    struct err err;

    doc.action = action_default(ACTION_QUEUE);
    doc.action.queue.queue = STR("q");
    doc.spec = temporal_spec_def(spec, arena);
    must(schedule_check(&doc, arena, &err) == RC_OK);
}

static bool canonical(const Temporal__ScheduleSpec *message, struct arena *arena,
                      struct str *ret)
{
    struct temporal_spec given, spec;
    struct err err;

    if (temporal_spec_of(message, arena, &given, &err) != RC_OK ||
        temporal_canonical(&given, arena, &spec, &err) != RC_OK)
        return false;
    check_stored(&spec, arena);
    *ret = proto_pack(&temporal_spec_message(&spec, arena)->base, arena);
    return true;
}

static void check_spec(struct str bytes, struct arena *arena)
{
    const ProtobufCMessageDescriptor *type = &temporal__schedule_spec__descriptor;
    ProtobufCMessage *message;
    struct str first, second;
    struct err err;

    if (proto_unpack(type, bytes, arena, &message, &err) != RC_OK ||
        !canonical((Temporal__ScheduleSpec *)message, arena, &first))
        return;
    must(proto_unpack(type, first, arena, &message, &err) == RC_OK);
    must(canonical((Temporal__ScheduleSpec *)message, arena, &second));
    must(str_eq(first, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};
    struct arena *arena = arena_new(512 << 20);

    check_query(text, arena);
    check_spec(text, arena);
    arena_free(arena);
    return 0;
}
