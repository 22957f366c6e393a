/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the schedules of a Temporal server over gRPC, creates them in Belfry by the same RPCs,
 * so that nothing is lost in a translation, and pauses them there.
 */
#include "cli/import/from_temporal.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/import/move_sources.h"
#include "cli/remote/request_options.h"
#include "io/clock.h"
#include "io/host_name.h"
#include "model/spec_json.h"
#include "model/temporal_codec.h"

enum { PAGE = 500, PAGES_MAX = 100000, OVERLAP_SKIP_NUMBER = 1 };

#define SETTLE (2 * SPAN_S)

#define LOCAL(var, type, TYPE)                                    \
    Temporal__##type *var = arena_take(move->arena, sizeof *var); \
    *var = (Temporal__##type)TEMPORAL__##TYPE##__INIT

/* ---- sets of calls ---- */

struct rpc_set rpc_set_new(struct move *move, int room)
{
    return (struct rpc_set){
        .calls = arena_array(move->arena, (size_t)room, sizeof(struct rpc_call)),
        .owners = arena_array(move->arena, (size_t)room, sizeof(struct moved *))};
}

void rpc_set_add(struct rpc_set *set, struct moved *owner, const char *method,
                 const ProtobufCMessage *request, const ProtobufCMessageDescriptor *answer)
{
    set->owners[set->count] = owner;
    set->calls[set->count++] = (struct rpc_call){
        .method = method, .request = request, .type = answer};
}

void rpc_set_run(struct move *move, const struct rpc_peer *peer, struct rpc_set *set)
{
    struct from_temporal *f = move->state;
    const char *who = peer == &f->there ? move->source->name : "Belfry";

    rpc_batch_run(f->rpc, peer, set->calls, set->count, move->arena);
    for (int i = 0; i < set->count; i++) {
        const struct rpc_call *call = &set->calls[i];

        if (call->status == GRPC_OK)
            continue;
        moved_end(set->owners[i],
                  call->status == GRPC_INVALID_ARGUMENT ? MOVE_INVALID : MOVE_FAILED,
                  "%s: %s: %s", who, grpc_status_text(call->status), call->text);
    }
}

char *rpc_text(struct move *move, struct str text)
{
    return temporal_text(text, move->arena);
}

/* Unique to this call: a schedule that was deleted can be imported again. */
static char *request_id(struct move *move)
{
    struct from_temporal *f = move->state;
    struct buf out = arena_buf(move->arena, 64);

    buf_printf(&out, "import-%lld-%lld", (long long)clock_now(), (long long)++f->last_request);
    return out.ptr;
}

/* ---- the list ---- */

static bool read_page(struct move *move, ProtobufCBinaryData *token, int *ret_status)
{
    struct from_temporal *f = move->state;
    struct rpc_call call = {.method = "ListSchedules",
                            .type = &temporal__list_schedules_response__descriptor};
    Temporal__ListSchedulesRequest request = TEMPORAL__LIST_SCHEDULES_REQUEST__INIT;
    const Temporal__ListSchedulesResponse *page;

    request.namespace_ = f->namespace_there;
    request.maximum_page_size = PAGE;
    request.next_page_token = *token;
    call.request = &request.base;
    rpc_batch_run(f->rpc, &f->there, &call, 1, move->arena);
    if (call.status != GRPC_OK) {
        report_note("%.*s: %s: %s", STR_ARG(f->there.target.url), grpc_status_text(call.status),
                    call.text);
        *ret_status = call.is_unreachable ? STATUS_UNREACHABLE : STATUS_FAILED;
        return false;
    }
    page = call.answer;
    for (size_t i = 0; i < page->n_schedules; i++)
        move_add_id(move, str_of(page->schedules[i]->schedule_id));
    *token = page->next_page_token;
    return token->len > 0 && move->id_count < MOVE_IDS_MAX;
}

/* The token is in the arena, so that this is reset only after the last page. */
static int list(struct move *move)
{
    ProtobufCBinaryData token = {0, NULL};
    int status = STATUS_OK, pages = 0;

    while (read_page(move, &token, &status) && ++pages < PAGES_MAX)
        progress_show(&move->progress, move->id_count, 0);
    arena_reset(move->arena);
    return status;
}

/* ---- reading ---- */

static int by_key(const void *a, const void *b)
{
    const Temporal__Fields__FieldsEntry *const *x = a, *const *y = b;

    return strcmp((*x)->key, (*y)->key);
}

static int by_name(const void *a, const void *b)
{
    const Temporal__Payload__MetadataEntry *const *x = a, *const *y = b;

    return strcmp((*x)->key, (*y)->key);
}

static void sort_payload(Temporal__Payload *payload)
{
    if (payload)
        qsort(payload->metadata, payload->n_metadata, sizeof(void *), by_name);
}

/* Servers send maps in any order. */
static void sort_fields(Temporal__Fields *fields)
{
    if (!fields)
        return;
    qsort(fields->fields, fields->n_fields, sizeof(void *), by_key);
    for (size_t i = 0; i < fields->n_fields; i++)
        sort_payload(fields->fields[i]->value);
}

/* The server sets these itself. */
static void drop_system_fields(Temporal__Fields *fields)
{
    size_t kept = 0;

    for (size_t i = 0; fields && i < fields->n_fields; i++)
        if (!str_starts(str_of(fields->fields[i]->key), STR("Temporal")))
            fields->fields[kept++] = fields->fields[i];
    if (fields)
        fields->n_fields = kept;
}

static void sort_workflow(Temporal__NewWorkflowExecutionInfo *w)
{
    if (!w)
        return;
    sort_fields(w->memo);
    sort_fields(w->search_attributes);
    sort_fields(w->header);
    for (size_t i = 0; w->input && i < w->input->n_payloads; i++)
        sort_payload(w->input->payloads[i]);
}

/* Of everything that is imported, except the state, which changes with every run. */
static uint64_t print_of(struct move *move, Temporal__DescribeScheduleResponse *d)
{
    Temporal__Schedule plain = *d->schedule;
    struct str part = {NULL, 0};
    uint64_t print;

    plain.state = NULL;
    if (plain.action &&
        plain.action->action_case == TEMPORAL__SCHEDULE_ACTION__ACTION_START_WORKFLOW)
        sort_workflow(plain.action->start_workflow);
    sort_fields(d->memo);
    sort_fields(d->search_attributes);
    part = proto_pack(&plain.base, move->arena);
    print = hash_bytes(part.ptr, part.len, 0);
    part = d->memo ? proto_pack(&d->memo->base, move->arena) : STR("");
    print = hash_bytes(part.ptr, part.len, print);
    part = d->search_attributes ? proto_pack(&d->search_attributes->base, move->arena)
                                : STR("");
    return hash_u64(hash_bytes(part.ptr, part.len, print));
}

static void read_one(struct move *move, struct moved *one,
                     Temporal__DescribeScheduleResponse *d)
{
    const Temporal__ScheduleState *state = d->schedule ? d->schedule->state : NULL;
    bool is_again = one->document != NULL;
    uint64_t print;

    one->document = d;
    if (!d->schedule || !d->schedule->spec || !d->info) {
        moved_end(one, MOVE_FAILED, "the description has no spec");
        return;
    }
    drop_system_fields(d->search_attributes);
    drop_system_fields(d->memo);
    print = print_of(move, d);
    if (is_again && print != one->print)
        moved_end(one, MOVE_EXISTS, "it was changed there meanwhile; repeat the command");
    one->print = print;
    moved_read_note(one, str_of(state ? state->notes : ""), state && state->paused);
    one->jitter = d->schedule->spec->jitter ? temporal_span(d->schedule->spec->jitter) : 0;
    one->has_ended = state && state->limited_actions && state->remaining_actions == 0;
}

/* Describes the schedules that `is_wanted` selects; `is_wanted` NULL: all. */
static void describe(struct move *move, struct moved *list, int count,
                     bool (*is_wanted)(const struct moved *one))
{
    struct from_temporal *f = move->state;
    struct rpc_set set = rpc_set_new(move, count);

    for (int i = 0; i < count; i++) {
        LOCAL(request, DescribeScheduleRequest, DESCRIBE_SCHEDULE_REQUEST);

        if (list[i].is_done || (is_wanted && !is_wanted(&list[i])))
            continue;
        request->namespace_ = f->namespace_there;
        request->schedule_id = rpc_text(move, list[i].id);
        rpc_set_add(&set, &list[i], "DescribeSchedule", &request->base,
                    &temporal__describe_schedule_response__descriptor);
    }
    rpc_set_run(move, &f->there, &set);
    for (int i = 0; i < set.count; i++)
        if (!set.owners[i]->is_done)
            read_one(move, set.owners[i], set.calls[i].answer);
}

static void read_all(struct move *move, struct moved *list, int count)
{
    describe(move, list, count, NULL);
}

static json_t *spec_of(struct move *move, const struct moved *one, struct err *reterr)
{
    const Temporal__DescribeScheduleResponse *d = one->document;
    struct temporal_spec given, canonical;
    struct spec_def def;

    if (temporal_spec_of(d->schedule->spec, move->arena, &given, reterr) != RC_OK ||
        temporal_canonical(&given, move->arena, &canonical, reterr) != RC_OK)
        return NULL;
    def = temporal_spec_def(&canonical, move->arena);
    return spec_to_json(&def, SPEC_FULL);
}

/* ---- creating ---- */

static ProtobufCMessage *create_request(struct move *move, const struct moved *one)
{
    struct from_temporal *f = move->state;
    const Temporal__DescribeScheduleResponse *d = one->document;
    struct buf note = arena_buf(move->arena, HANDOVER_NOTE_MAX);

    LOCAL(request, CreateScheduleRequest, CREATE_SCHEDULE_REQUEST);
    LOCAL(schedule, Schedule, SCHEDULE);
    LOCAL(state, ScheduleState, SCHEDULE_STATE);
    *schedule = *d->schedule;
    if (schedule->state)
        *state = *schedule->state;
    handover_note_here(one->print, one->note, &note);
    state->paused = true;
    state->notes = note.ptr;
    schedule->state = state;
    request->namespace_ = f->namespace_here;
    request->schedule_id = rpc_text(move, one->id);
    request->schedule = schedule;
    request->identity = f->identity;
    request->request_id = request_id(move);
    request->memo = d->memo;
    request->search_attributes = d->search_attributes;
    return &request->base;
}

static void create(struct move *move, struct moved *list, int count)
{
    struct from_temporal *f = move->state;
    struct rpc_set set = rpc_set_new(move, count);

    for (int i = 0; i < count; i++)
        if (!list[i].is_done && list[i].here == HERE_ABSENT)
            rpc_set_add(&set, &list[i], "CreateSchedule", create_request(move, &list[i]), NULL);
    rpc_set_run(move, &f->here, &set);
    for (int i = 0; i < set.count; i++)
        if (!set.owners[i]->is_done) {
            set.owners[i]->is_created = true;
            set.owners[i]->here = HERE_WAITS;
        }
}

/* ---- take-over ---- */

static bool wants_pause(const struct moved *one)
{
    return one->wants_pause;
}

static bool is_left(const struct moved *one)
{
    return one->is_left;
}

/* The next slot by the source's clock. */
static instant next_there(const Temporal__DescribeScheduleResponse *d)
{
    return d->info->n_future_action_times > 0
               ? temporal_instant(d->info->future_action_times[0])
               : INSTANT_NEVER;
}

/* Whether the source skips its slots, because a workflow is open. */
static bool is_skipping(const Temporal__DescribeScheduleResponse *d)
{
    const Temporal__SchedulePolicies *policies = d->schedule->policies;
    int32_t overlap = policies ? policies->overlap_policy : 0;

    return overlap <= OVERLAP_SKIP_NUMBER && d->info->n_running_workflows > 0;
}

static ProtobufCMessage *pause_request(struct move *move, struct moved *one)
{
    struct from_temporal *f = move->state;
    const Temporal__DescribeScheduleResponse *d = one->document;
    struct buf note = arena_buf(move->arena, HANDOVER_NOTE_MAX);
    instant bound = handover_bound(clock_now(), next_there(d), is_skipping(d));

    LOCAL(request, PatchScheduleRequest, PATCH_SCHEDULE_REQUEST);
    LOCAL(patch, SchedulePatch, SCHEDULE_PATCH);
    handover_note_there(bound, one->note, &note);
    patch->pause = note.ptr;
    request->namespace_ = f->namespace_there;
    request->schedule_id = rpc_text(move, one->id);
    request->patch = patch;
    request->identity = f->identity;
    request->request_id = request_id(move);
    return &request->base;
}

static void pause_all(struct move *move, struct moved *list, int count)
{
    struct from_temporal *f = move->state;
    struct rpc_set set = rpc_set_new(move, count);

    describe(move, list, count, wants_pause); /* its next slot and its open workflows */
    for (int i = 0; i < count; i++) {
        if (list[i].is_done || !list[i].wants_pause)
            continue;
        if (list[i].is_paused)
            moved_end(&list[i], MOVE_STAYS_PAUSED, "it was paused there meanwhile");
        else
            rpc_set_add(&set, &list[i], "PatchSchedule", pause_request(move, &list[i]), NULL);
    }
    rpc_set_run(move, &f->there, &set);
    /* Its own note tells what the pause says, also if the answer was lost. */
    for (int i = 0; i < set.count; i++)
        set.owners[i]->is_left = !set.owners[i]->is_done;
}

static void read_last(struct move *move, struct moved *list, int count)
{
    describe(move, list, count, is_left);
    for (int i = 0; i < count; i++)
        if (!list[i].is_done && list[i].wants_pause && !list[i].is_left)
            moved_end(&list[i], MOVE_FAILED, "the pause there was not confirmed");
    from_temporal_read_last(move, list, count);
}

/* ---- limited actions ---- */

static bool is_limited(const struct moved *one)
{
    const Temporal__DescribeScheduleResponse *d = one->document;

    return !one->is_done && one->is_left && d->schedule->state &&
           d->schedule->state->limited_actions;
}

/*
 * The source has run since the schedule was created here.  The update gives the slots since
 * then the outcome missed, which the resume from a past time undoes.
 */
static void update_remaining(struct move *move, struct moved *list, int count)
{
    struct from_temporal *f = move->state;
    struct rpc_set set = rpc_set_new(move, count);

    for (int i = 0; i < count; i++) {
        LOCAL(request, UpdateScheduleRequest, UPDATE_SCHEDULE_REQUEST);
        const Temporal__CreateScheduleRequest *create;

        if (!is_limited(&list[i]))
            continue;
        create = (const Temporal__CreateScheduleRequest *)create_request(move, &list[i]);
        request->namespace_ = f->namespace_here;
        request->schedule_id = create->schedule_id;
        request->schedule = create->schedule;
        request->identity = f->identity;
        request->request_id = request_id(move);
        rpc_set_add(&set, &list[i], "UpdateSchedule", &request->base, NULL);
    }
    rpc_set_run(move, &f->here, &set);
}

/* ---- the connection ---- */

static const struct move_source source = {
    .name = "Temporal",
    .dialect = "temporal",
    .settle = SETTLE,
    .list = list,
    .read = read_all,
    .spec = spec_of,
    .create = create,
    .read_times = from_temporal_read_times,
    .pause = pause_all,
    .read_last = read_last,
    .prepare = update_remaining,
};

/* host:port, or a URL. */
static enum rc read_address(const struct args *args, struct from_temporal *f,
                            struct err *reterr)
{
    struct str address = str_of(args->operand[0]);
    bool is_url = str_starts(address, STR("http://")) || str_starts(address, STR("https://"));
    bool is_tls = args->value[TEMPORAL_TLS] || args->value[TEMPORAL_CERT] ||
                  args->value[MOVE_SOURCE_CA];
    struct buf out = BUF(f->url_there);

    if (!is_url)
        buf_text(&out, is_tls ? "https://" : "http://");
    buf_str(&out, address);
    if (out.cut || address.len == 0 || (!is_url && !memchr(address.ptr, ':', address.len)))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid address \"%.200s\"; use HOST:PORT, such as localhost:7233",
                       args->operand[0]);
    if (!args->value[TEMPORAL_CERT] != !args->value[TEMPORAL_KEY])
        return err_set(reterr, RC_INVALID, -1, 0, "--cert and --key must be used together");
    f->there.target.url = buf_as_str(&out);
    return RC_OK;
}

static bool read_pem(const char *path, char **ret, struct str *ret_text)
{
    size_t len;

    if (!path)
        return true;
    *ret = read_whole(path, &len);
    if (*ret)
        *ret_text = (struct str){*ret, len};
    return *ret != NULL;
}

/* The token becomes a header value: visible ASCII of limited length. */
static enum rc write_bearer(const char *token, struct buf *out, struct str *ret,
                            struct err *reterr)
{
    bool is_good = true;

    if (!token || token[0] == '\0')
        return RC_OK;
    for (const char *c = token; *c != '\0'; c++)
        is_good = is_good && *c > ' ' && *c < 0x7f;
    buf_text(out, "Bearer ");
    buf_text(out, token);
    if (!is_good || out->cut)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "BELFRY_SOURCE_TOKEN: invalid token; use at most %d visible characters",
                       CLIENT_TOKEN_MAX);
    *ret = buf_as_str(out);
    return RC_OK;
}

int from_temporal_open(const struct args *args, struct move *move)
{
    struct from_temporal *f = calloc(1, sizeof *f);
    const char *namespace = setting_find(args->value[REMOTE_NAMESPACE], "BELFRY_NAMESPACE", "");
    const char *there = args->value[TEMPORAL_NAMESPACE];
    char token[TOKEN_MAX] = "", host[HOST_NAME_SIZE];
    struct buf url, there_room, here_room;
    struct err err;

    must(f);
    move->source = &source;
    move->state = f;
    if (namespace[0] == '\0')
    namespace = "default";
    f->namespace_here = strdup(namespace);
    f->namespace_there = strdup(there ? there : namespace);
    must(f->namespace_here && f->namespace_there);
    there_room = BUF(f->bearer_there);
    here_room = BUF(f->bearer_here);
    if (read_address(args, f, &err) != RC_OK ||
        token_find(args->value[REMOTE_TOKEN], token, &err) != RC_OK ||
        write_bearer(getenv("BELFRY_SOURCE_TOKEN"), &there_room, &f->there.bearer, &err) !=
            RC_OK ||
        write_bearer(token, &here_room, &f->here.bearer, &err) != RC_OK)
        return report_usage(&err, args->command->name);
    if (!read_pem(args->value[MOVE_SOURCE_CA], &f->ca, &f->there.target.ca) ||
        !read_pem(args->value[TEMPORAL_CERT], &f->cert, &f->there.target.cert) ||
        !read_pem(args->value[TEMPORAL_KEY], &f->key, &f->there.target.key))
        return STATUS_FAILED;
    f->there.target.server_name = str_of(args->value[TEMPORAL_SERVER_NAME]);
    url = BUF(f->url_here);
    buf_text(&url, remote_server(move->remote));
    f->here.target.url = buf_as_str(&url);
    host_name_read(host);
    snprintf(f->identity, sizeof f->identity, "belfry import@%s", host);
    f->rpc = rpc_batch_new(setting_find(args->value[REMOTE_CACERT], "BELFRY_CACERT", NULL));
    return STATUS_OK;
}

void from_temporal_close(struct move *move)
{
    struct from_temporal *f = move->state;

    if (!f)
        return;
    rpc_batch_free(f->rpc);
    free(f->namespace_here);
    free(f->namespace_there);
    free(f->ca);
    free(f->cert);
    free(f->key);
    free(f);
}
