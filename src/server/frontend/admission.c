/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identifies callers, applies rate limits, and collects denied requests and the last uses of
 * tokens for the audit log.
 */
#include "server/frontend/admission.h"

#include <stdlib.h>

#include "api/access/audit_note.h"
#include "api/access/roles.h"
#include "api/call/api_dialect.h"
#include "api/call/operation.h"
#include "base/hash.h"
#include "base/must.h"
#include "io/clock.h"

enum {
    ADDRESS_MAX = 64,
    USES_MAX = 256,          /* last uses per report */
    DENIALS_BYTES = 1 << 20, /* texts of the denials */
};
#define USES_EVERY SPAN_MIN

struct admission {
    struct keyring *keys; /* NULL: not received yet */
    struct limits *limits;

    /* Denied requests since the last report. */
    struct arena *arena;
    struct audit_entry denials[ADMISSION_DENIALS_MAX];
    int denial_count;
    instant minute; /* start of the current minute */
    int denials_reported;

    instant uses_from; /* uses up to this time are recorded       */
    instant uses_to;   /* uses up to this time are being reported */
    int uses_at;       /* next token to report                    */
};

struct admission *admission_new(uint64_t seed)
{
    struct admission *admission = calloc(1, sizeof *admission);

    must(admission);
    admission->limits = limits_new(seed);
    admission->arena = arena_new(DENIALS_BYTES);
    admission->uses_from = admission->uses_to = clock_now();
    return admission;
}

struct admission *admission_free(struct admission *admission)
{
    if (!admission)
        return NULL;
    keyring_free(admission->keys);
    limits_free(admission->limits);
    arena_free(admission->arena);
    free(admission);
    return NULL;
}

void admission_set_keys(struct admission *admission, struct keyring *keys)
{
    if (admission->keys)
        keyring_inherit(keys, admission->keys);
    keyring_free(admission->keys);
    admission->keys = keys;
    admission->uses_at = 0;
}

bool admission_still_allows(const struct admission *admission, const struct caller *caller,
                            instant now)
{
    const struct session *session;
    const struct token *token;

    if (!admission->keys || caller->role == ROLE_NONE)
        return true;
    if (caller->token == 0)
        return keyring_count(admission->keys) == 0;
    token = keyring_get(admission->keys, caller->token);
    session = keyring_get_session(admission->keys, caller->session);
    return token && token->expires_at > now &&
           (caller->session == 0 || (session && session->expires_at > now));
}

bool admission_has_tokens(const struct admission *admission)
{
    return !admission->keys || keyring_count(admission->keys) > 0;
}

/* ---- requests ---- */

void admission_identify(struct call *call, const struct exchange *x)
{
    struct buf from = arena_buf(call->arena, ADDRESS_MAX);

    peer_print(&x->peer, &from);
    call->from = buf_as_str(&from);
    call->by = STR("nobody");
    auth_name_request(call, x->request);
}

/* HEAD requests use the same operation; gRPC calls are all POST. */
static bool is_read(const struct call *call)
{
    const struct operation *op = call->operation;

    return str_eq(str_of(op->method), STR("GET")) ||
           (api_dialects[op->dialect].is_grpc && op->right == RIGHT_VIEW);
}

/*
 * The key of the rate limit of a client: a token or, without one, an address.  An IPv6 network
 * of 64 bits counts as one client.
 */
static uint64_t client_key(const struct call *call, const struct peer *peer, bool reads)
{
    uint64_t seed = reads ? 1 : 2;

    if (call->caller.token != 0)
        return hash_bytes(&call->caller.token, sizeof call->caller.token, seed);
    return hash_bytes(peer->bytes, peer->is_v6 ? 8 : 4, seed + 2);
}

/* Requests of workers, polls and health checks are not limited. */
static bool is_counted(const struct call *call)
{
    enum right right = call->operation->right;

    return right != RIGHT_NONE && !call->operation->is_poll &&
           !(right == RIGHT_WORK &&
             role_has(call->caller.role, call->caller.is_everywhere, right));
}

/* `who` is one client, or all clients of a namespace together. */
static bool check_rate(struct admission *admission, struct call *call, uint64_t client, int max,
                       const char *who, struct limit *ret)
{
    struct buf after;

    if (limits_take(admission->limits, client, max, clock_boot_us(), ret))
        return true;
    call->denied = 0;
    call_problem(call, 429, "rate_limited",
                 "too many %s requests; the limit of %s is %d per minute; retry in %lld s",
                 is_read(call) ? "read" : "write", who, max, (long long)ret->retry_s);
    after = arena_buf(call->arena, ADDRESS_MAX);
    buf_printf(&after, "%lld", (long long)ret->retry_s);
    call_field(call, STR("Retry-After"), buf_as_str(&after));
    return false;
}

bool admission_admit(struct admission *admission, struct call *call, const struct exchange *x,
                     const struct config *config, struct limit *ret_limit)
{
    struct auth auth = {admission->keys, config->hosts.list, config->hosts.count,
                        exchange_is_tls(x)};
    bool is_known = auth_admit(call, &auth, x->request, peer_is_loopback(&x->peer));
    bool reads = is_read(call);
    int max = reads ? config->rate_read : config->rate_write;

    call->keys = admission->keys;
    *ret_limit = (struct limit){0};
    if (max == 0 || !is_counted(call))
        return is_known;
    return check_rate(admission, call, client_key(call, &x->peer, reads), max, "one client",
                      ret_limit) &&
           is_known;
}

static int items_of(const struct call *call)
{
    return call->command_count + call->report_count;
}

void admission_charge(struct admission *admission, const struct call *call,
                      const struct exchange *x, const struct config *config)
{
    bool reads = is_read(call);
    int max = reads ? config->rate_read : config->rate_write;

    if (max > 0 && is_counted(call) && items_of(call) > 1)
        limits_charge(admission->limits, client_key(call, &x->peer, reads), max,
                      items_of(call) - 1);
}

/* The key of the rate limit of a namespace: of all its clients together. */
static uint64_t namespace_key(const struct namespace_entry *entry, bool reads)
{
    return hash_bytes(&entry->id, sizeof entry->id, reads ? 5 : 6);
}

/* Requests per minute; 0: no limit. */
static int namespace_rate(const struct call *call, const struct namespace_entry *entry)
{
    if (!is_counted(call) || call->operation->right == RIGHT_SERVER)
        return 0;
    return is_read(call) ? entry->settings.plain.rate_read : entry->settings.plain.rate_write;
}

void admission_charge_namespace(struct admission *admission, const struct call *call,
                                const struct namespace_entry *entry)
{
    int max = namespace_rate(call, entry);

    if (max > 0 && items_of(call) > 1)
        limits_charge(admission->limits, namespace_key(entry, is_read(call)), max,
                      items_of(call) - 1);
}

bool admission_check_namespace(struct admission *admission, struct call *call,
                               const struct namespace_entry *entry, struct limit *limit)
{
    int max = namespace_rate(call, entry);
    struct limit namespace_limit;
    bool is_allowed;

    if (max == 0)
        return true;
    is_allowed = check_rate(admission, call, namespace_key(entry, is_read(call)), max,
                            "the namespace", &namespace_limit);
    if (is_allowed)
        admission_charge_namespace(admission, call, entry);
    if (limit->most == 0 || namespace_limit.left < limit->left)
        *limit = namespace_limit;
    return is_allowed;
}

/* ---- records ---- */

static bool is_same(const struct audit_entry *a, const struct audit_entry *b)
{
    return a->result == b->result && str_eq(a->by, b->by) && str_eq(a->from, b->from) &&
           str_eq(a->operation, b->operation) && str_eq(a->namespace, b->namespace) &&
           str_eq(a->token, b->token);
}

static struct audit_entry copy_of(const struct audit_entry *entry, struct arena *arena)
{
    struct audit_entry copy = *entry;
    struct str *texts[] = {&copy.by,        &copy.operation, &copy.object, &copy.token,
                           &copy.namespace, &copy.from,      &copy.request};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        *texts[i] = arena_str(arena, str_head(*texts[i], AUDIT_TEXT_MAX));
    return copy;
}

/*
 * Equal denials become a count; when the table is full, its last entry counts all further ones.
 */
void admission_note(struct admission *admission, const struct call *call)
{
    struct audit_entry entry, *kept;

    if (call->denied == 0)
        return;
    entry = audit_note(call);
    for (int i = 0; i < admission->denial_count; i++)
        if (is_same(&admission->denials[i], &entry) || i == ADMISSION_DENIALS_MAX - 1) {
            admission->denials[i].count++;
            return;
        }
    kept = &admission->denials[admission->denial_count++];
    *kept = copy_of(&entry, admission->arena);
    if (admission->denial_count == ADMISSION_DENIALS_MAX)
        kept->object = STR("(and others)");
}

/* Limits what a flood of requests can write to the disk. */
static bool may_report_denials(struct admission *admission, instant now)
{
    if (now < admission->minute || now >= admission->minute + SPAN_MIN) {
        admission->minute = now;
        admission->denials_reported = 0;
    }
    return admission->denial_count > 0 &&
           admission->denials_reported + admission->denial_count <= ADMISSION_DENIALS_A_MINUTE;
}

static void report_denials(struct admission *admission, struct call *call, struct log *log)
{
    admission->denials_reported += admission->denial_count;
    for (int i = 0; i < admission->denial_count; i++) {
        const struct audit_entry *e = &admission->denials[i];
        struct audit_entry *copy = arena_take(call->arena, sizeof *copy);

        *copy = copy_of(e, call->arena);
        call->commands[call->command_count++] = (struct command){.kind = COMMAND_DENIED,
                                                                 .audit = copy};
        log_say(log, call->now, LEVEL_WARN, "access denied",
                LOG_TEXT("result", audit_result_text(e->result)), LOG_STR("by", e->by),
                LOG_STR("from", e->from), LOG_STR("operation", e->operation),
                LOG_INT("count", e->count), LOG_STR("request", e->request));
    }
    admission->denial_count = 0;
    arena_reset(admission->arena);
}

static void report_uses(struct admission *admission, struct call *call)
{
    int count = admission->keys ? keyring_count(admission->keys) : 0;

    for (int n = 0; admission->uses_at < count && n < USES_MAX; admission->uses_at++) {
        const struct token *t = keyring_at(admission->keys, admission->uses_at);

        if (t->used_at <= admission->uses_from || t->used_at > admission->uses_to)
            continue;
        call->commands[call->command_count++] = (struct command){
            .kind = COMMAND_TOKEN_USED, .token_used = {t->id, t->used_at}};
        n++;
    }
    if (admission->uses_at < count)
        return;
    admission->uses_from = admission->uses_to;
    admission->uses_at = 0;
}

bool admission_report(struct admission *admission, struct call *call, struct log *log)
{
    bool has_uses = admission->uses_to > admission->uses_from, has_denials;

    if (!has_uses && call->now >= admission->uses_to + USES_EVERY) {
        admission->uses_to = call->now;
        has_uses = true;
    }
    has_denials = may_report_denials(admission, call->now);
    if (!has_denials && !has_uses)
        return false;
    call->commands = arena_array(call->arena, ADMISSION_DENIALS_MAX + USES_MAX,
                                 sizeof *call->commands);
    if (has_denials)
        report_denials(admission, call, log);
    if (has_uses)
        report_uses(admission, call);
    return call->command_count > 0;
}
