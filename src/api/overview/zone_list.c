/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the time zones that specs can name, with their state now.
 */
#include "api/call/answer.h"
#include "api/call/request.h"
#include "api/overview/overview.h"
#include "core/time/tz_type.h"

enum { ZONE_USUAL = 128 }; /* bytes of a zone in the answer */

enum call_step zone_list_begin(struct call *call)
{
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

static void print_zone(const struct tz_now *zone, struct answer *out)
{
    answer_open(out);
    answer_put_text(out, "name", zone->name);
    answer_put_int(out, "offset", zone->type.offset);
    answer_name(out, "abbreviation");
    answer_lossy(out, str_of(zone->type.abbreviation));
    answer_put_bool(out, "dst", zone->type.is_dst);
    answer_put_instant(out, "next",
                       zone->next == TZ_TIME_MAX ? INSTANT_NEVER
                                                 : instant_of_seconds(zone->next));
    answer_text(out, "}");
}

enum call_step zone_list_read(struct call *call, struct db *db)
{
    const struct api_context *context = call->context;
    struct answer out = answer_new(call->arena);
    const struct tz_now *zones;
    const char *version;
    int count;

    (void)db;
    zones = context->list_zones(context->zones.user, call->now, call->arena, &count, &version);
    answer_reserve(&out, (size_t)count * ZONE_USUAL);
    answer_open(&out);
    answer_put_some(&out, "version", str_of(version));
    answer_text(&out, ",\"zones\":[");
    for (int i = 0; i < count; i++)
        print_zone(&zones[i], &out);
    answer_text(&out, "]}");
    return call_answer(call, 200, answer_done(&out));
}
