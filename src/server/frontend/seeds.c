/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the documents of seed_dir and turns each into calls: read the schedule, and create it
 * if it is missing.
 */
#include "server/frontend/seeds.h"

#include <stdlib.h>
#include <string.h>

#include "api/call/operation.h"
#include "base/must.h"
#include "cli/apply/manifest.h"
#include "cli/frame/report.h"
#include "wire/json/json.h"

struct seeds {
    struct manifest manifest;
    int at;          /* the current entry                     */
    bool is_missing; /* the read found nothing; create it now */
    int made, there, refused;
    struct http1_request request;
};

/* Calendars and gates cannot be created conditionally. */
static bool has_only_schedules(struct manifest *manifest)
{
    for (int i = 0; i < manifest->count; i++)
        if (manifest->entries[i].kind != MANIFEST_SCHEDULE)
            manifest_error(manifest, &manifest->entries[i], "",
                           "seed_dir may contain only schedules; create the rest with belfry "
                           "apply");
    return manifest->errors == 0;
}

struct seeds *seeds_read(const char *dir)
{
    struct seeds *seeds = calloc(1, sizeof *seeds);

    must(seeds);
    if (manifest_read(&dir, 1, &seeds->manifest) != STATUS_OK ||
        !has_only_schedules(&seeds->manifest))
        return seeds_free(seeds);
    return seeds;
}

struct seeds *seeds_free(struct seeds *seeds)
{
    if (seeds)
        manifest_free(&seeds->manifest);
    free(seeds);
    return NULL;
}

bool seeds_has_next(const struct seeds *seeds)
{
    return seeds->at < seeds->manifest.count;
}

static const struct operation *operation_of(const char *id)
{
    for (int i = 0; i < operation_count; i++)
        if (strcmp(operations[i].id, id) == 0)
            return &operations[i];
    must(false);
    return NULL;
}

/* Sets the namespace of the document as that of the request. */
static void set_namespace(struct http1_request *request, const json_t *json,
                          struct arena *arena)
{
    const json_t *name = json_object_get(json, "namespace");

    request->pair_count = 0;
    if (!json_is_string(name))
        return;
    request->pairs[0].key = STR("namespace");
    request->pairs[0].value = arena_str(
        arena, (struct str){json_string_value(name), json_string_length(name)});
    request->pair_count = 1;
}

/*
 * A schedule in the format of the agents API is created without a read before: agent and
 * project identify it, so creating it twice fails with a conflict.
 */
static bool is_agents(const json_t *json)
{
    return json_object_get(json, "agentId") && json_object_get(json, "scheduleType");
}

enum call_step seeds_begin(struct seeds *seeds, struct call *call)
{
    const struct manifest_entry *entry = &seeds->manifest.entries[seeds->at];
    json_auto_t *json = NULL;
    struct err unused; /* call_begin() reports the error */
    const char *id = seeds->is_missing ? "schedule.create" : "schedule.get";
    bool is_valid = json_read(entry->json, &json, &unused) == RC_OK, creates;

    if (is_valid && is_agents(json))
        id = "agents.create";
    creates = strcmp(id, "schedule.get") != 0;
    call->operation = operation_of(id);
    call->dialect = call->operation->dialect;
    call->caller = (struct caller){
        .name = STR("seed_dir"), .role = ROLE_ADMIN, .is_everywhere = true};
    call->by = call->caller.name;
    if (!creates)
        call->params[0] = entry->id;
    seeds->request.method = str_of(call->operation->method);
    set_namespace(&seeds->request, json, call->arena);
    return call_begin(call, &seeds->request, creates ? entry->json : (struct str){NULL, 0});
}

static void log_rejected(const struct manifest_entry *entry, const struct call *call,
                         struct log *log)
{
    json_auto_t *problem = NULL;
    const char *detail = NULL, *field = NULL;
    struct err err;

    if (json_read(call->answer, &problem, &err) == RC_OK) {
        detail = json_string_value(json_object_get(problem, "detail"));
        field = json_string_value(json_object_get(problem, "field"));
    }
    log_say(log, call->now, LEVEL_ERROR, "seed schedule rejected",
            LOG_TEXT("file", entry->place.file), LOG_STR("schedule", entry->id),
            LOG_TEXT("field", field ? field : ""), LOG_TEXT("reason", detail ? detail : ""));
}

bool seeds_finish(struct seeds *seeds, const struct call *call, struct log *log)
{
    bool is_looking = !seeds->is_missing;

    if (call->status >= 500 || call->status == 429)
        return false;
    if (is_looking && call->status == 404) {
        seeds->is_missing = true;
        return true;
    }
    if (call->status == 201)
        seeds->made++;
    else if (call->status == 200 || call->status == 409)
        seeds->there++; /* 409: another node was first */
    else
        seeds->refused++;
    if (call->status >= 400 && call->status != 409)
        log_rejected(&seeds->manifest.entries[seeds->at], call, log);
    seeds->is_missing = false;
    seeds->at++;
    if (!seeds_has_next(seeds))
        log_say(log, call->now, LEVEL_INFO, "seed schedules applied",
                LOG_INT("made", seeds->made), LOG_INT("found", seeds->there),
                LOG_INT("refused", seeds->refused));
    return true;
}
