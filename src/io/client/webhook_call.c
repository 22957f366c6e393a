/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call: its copy of the request, the options of libcurl, and what is kept of the answer.
 * webhook_end.c decides how it ended.
 *
 * The callbacks below run inside libcurl: they record what happened, and start nothing.
 */
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "base/must.h"
#include "io/client/webhook_parts.h"
#include "io/clock.h"

enum {
    ARENA_SPARE = 64 * 1024, /* memory of an idle call: most requests are smaller */
    BODY_SPARE = 64 * 1024,
    BODY_FIRST = 4 * 1024,
    IDLE_SECONDS = 30,  /* reuse of a connection; servers close after 60 or 75 */
    NAMES_SECONDS = 30, /* how long the answer of a name server is used */
    STATUS_FINAL = 200, /* lower ones are interim answers */
    FIELD_MAX = WEBHOOK_HEADER_MAX + 8,
};

#define ARENA_MAX                                                             \
    ((size_t)WEBHOOK_BODY_MAX + 2 * (size_t)WEBHOOK_HEADERS_MAX * FIELD_MAX + \
     (size_t)4 * (WEBHOOK_REDIRECTS_MAX + 1) * (WEBHOOK_HEAD_MAX + WEBHOOK_URL_MAX))

/* It fails only for a value that libcurl does not support, or without memory. */
#define SET(call, option, value) \
    must(curl_easy_setopt((call)->easy, (option), (value)) == CURLE_OK)

struct webhook_call *webhook_call_new(struct webhook_pool *pool)
{
    struct webhook_call *call = calloc(1, sizeof *call);

    must(call != NULL);
    call->pool = pool;
    call->arena = arena_new(ARENA_MAX);
    call->easy = curl_easy_init();
    must(call->easy != NULL);
    return call;
}

void webhook_call_free(struct webhook_call *call)
{
    curl_easy_cleanup(call->easy);
    curl_slist_free_all(call->fields);
    curl_slist_free_all(call->connect_to);
    arena_free(call->arena);
    free(call->body);
    free(call);
}

static struct webhook_header *copy_headers(struct arena *arena,
                                           const struct webhook_header *list, int count)
{
    struct webhook_header *copy = arena_array(arena, (size_t)count, sizeof *copy);

    for (int i = 0; i < count; i++) {
        copy[i].name = arena_str(arena, list[i].name);
        copy[i].value = arena_str(arena, list[i].value);
    }
    return copy;
}

static void *copy_array(struct arena *arena, const void *list, int count, size_t size)
{
    void *copy = arena_array(arena, (size_t)count, size);

    if (count > 0)
        memcpy(copy, list, (size_t)count * size);
    return copy;
}

static void release_memory(struct webhook_call *call)
{
    if (arena_used(call->arena) > ARENA_SPARE) {
        arena_free(call->arena);
        call->arena = arena_new(ARENA_MAX);
    }
    arena_reset(call->arena);
    if (call->body_room > BODY_SPARE) {
        free(call->body);
        call->body = NULL;
        call->body_room = 0;
    }
}

void webhook_call_init(struct webhook_call *call, const struct webhook_request *request,
                       int64_t origin)
{
    struct webhook_request *r = &call->request;
    struct address_policy *policy = &call->policy;
    struct str *names;

    release_memory(call);
    *r = *request;
    r->method = arena_str(call->arena, r->method);
    r->url = arena_str(call->arena, r->url);
    r->body = arena_str(call->arena, r->body);
    r->message_id = arena_str(call->arena, r->message_id);
    r->tls = (struct webhook_tls){.ca = arena_str(call->arena, r->tls.ca),
                                  .cert = arena_str(call->arena, r->tls.cert),
                                  .key = arena_str(call->arena, r->tls.key),
                                  .server_name = arena_str(call->arena, r->tls.server_name)};
    r->headers = copy_headers(call->arena, r->headers, r->header_count);
    r->extra = copy_headers(call->arena, r->extra, r->extra_count);
    r->keys = copy_array(call->arena, r->keys, r->key_count, sizeof *r->keys);
    names = arena_array(call->arena, (size_t)r->keep_header_count, sizeof *names);
    for (int i = 0; i < r->keep_header_count; i++)
        names[i] = arena_str(call->arena, r->keep_headers[i]);
    r->keep_headers = names;
    *policy = *request->policy;
    policy->allow = copy_array(call->arena, policy->allow, policy->allow_count,
                               sizeof *policy->allow);
    policy->deny = copy_array(call->arena, policy->deny, policy->deny_count,
                              sizeof *policy->deny);
    r->policy = policy;
    call->origin = origin;
    call->method = r->method;
    call->url = r->url;
    call->has_body = r->has_body;
    call->is_other_origin = false;
    call->queued_us = clock_boot_us();
    call->begun_us = 0;
    call->result = (struct webhook_result){.id = r->id, .retry_at = INSTANT_NONE};
}

/* ---- what libcurl calls ---- */

static bool is_permitted(struct webhook_call *call, const struct address *addr)
{
    if (address_policy_permits(&call->policy, addr))
        return true;
    call->is_refused = true;
    call->refused = *addr;
    return false;
}

/*
 * A new connection: checks the address to which it is made, so that a name cannot resolve to
 * another address after the check.
 */
static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct webhook_call *call = arg;
    struct address addr;

    (void)purpose;
    if (!address_of(&address->addr, &addr) || !is_permitted(call, &addr))
        return CURL_SOCKET_BAD;
    call->is_opened = true;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/*
 * The connection is established, new or reused, and the request is sent next.  libcurl comes
 * back here to send a request again that had no answer.  That is for the retry policy to
 * decide.
 */
static int on_send(void *arg, char *peer, char *local, int peer_port, int local_port)
{
    struct webhook_call *call = arg;
    struct address addr;

    (void)local;
    (void)local_port;
    if (call->is_sent_now)
        return CURL_PREREQFUNC_ABORT;
    if (!address_read(peer, (uint16_t)peer_port, &addr) || !is_permitted(call, &addr))
        return CURL_PREREQFUNC_ABORT;
    call->is_late = clock_boot_us() >= call->request.send_by_us;
    if (call->is_late)
        return CURL_PREREQFUNC_ABORT;
    call->is_sent_now = true;
    call->result.is_sent = true;
    must(uv_timer_start(&call->timer, webhook_on_time,
                        webhook_call_ms(call->request.first_byte_us), 0) == 0);
    return CURL_PREREQFUNC_OK;
}

int webhook_call_status(const struct webhook_call *call)
{
    long status = 0;

    must(curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK);
    return (int)status;
}

static void note_byte(struct webhook_call *call)
{
    if (!call->has_byte)
        uv_timer_stop(&call->timer);
    call->has_byte = true;
}

static bool is_wanted(const struct webhook_call *call, struct str name)
{
    for (int i = 0; i < call->request.keep_header_count; i++)
        if (str_eq_nocase(name, call->request.keep_headers[i]))
            return true;
    return false;
}

static void keep_field(struct webhook_call *call, struct str line)
{
    struct str name, value;

    if (!str_cut(line, ':', &name, &value))
        return;
    name = str_trim(name);
    value = str_trim(value);
    if (str_eq_nocase(name, STR("Retry-After")))
        call->retry_after = arena_str(call->arena, value);
    if (is_wanted(call, name) && call->result.header_count < WEBHOOK_KEPT_MAX)
        call->kept[call->result.header_count++] = (struct webhook_header){
            arena_str(call->arena, name), arena_str(call->arena, value)};
}

static size_t on_head(char *bytes, size_t size, size_t count, void *arg)
{
    struct webhook_call *call = arg;
    struct str line = {bytes, size * count};

    note_byte(call);
    call->head_bytes += line.len;
    call->is_too_long = call->head_bytes > WEBHOOK_HEAD_MAX;
    if (call->is_too_long)
        return 0;
    while (line.len > 0 && (line.ptr[line.len - 1] == '\n' || line.ptr[line.len - 1] == '\r'))
        line.len--;
    if (call->is_past_head) {
        if (call->request.is_h2) /* a trailer */
            keep_field(call, line);
        return size * count;
    }
    if (str_starts(line, STR("HTTP/"))) {
        call->result.header_count = 0; /* drops those of an interim answer */
        call->retry_after = STR("");
    } else if (line.len > 0) {
        keep_field(call, line);
    } else {
        call->is_past_head = webhook_call_status(call) >= STATUS_FINAL;
    }
    return size * count;
}

static void make_room(struct webhook_call *call, size_t need)
{
    size_t room = call->body_room ? call->body_room : BODY_FIRST;

    while (room < need)
        room *= 2;
    if (room == call->body_room)
        return;
    call->body = realloc(call->body, room);
    must(call->body != NULL);
    call->body_room = room;
}

/*
 * Counts bytes after libcurl has decoded the transfer coding.  Bytes beyond the kept ones are
 * read up to a limit and dropped, so that the connection can be reused.
 */
static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
    struct webhook_call *call = arg;
    size_t len = size * count, kept = call->result.body.len;
    size_t room = (size_t)call->request.keep_bytes - kept, added = len < room ? len : room;

    note_byte(call);
    make_room(call, kept + added);
    memcpy(call->body + kept, bytes, added);
    call->result.body.len = kept + added;
    call->result.is_cut = call->result.is_cut || added < len;
    call->body_bytes += (int64_t)len;
    return call->body_bytes > call->body_max ? 0 : len;
}

/* ---- preparing a hop ---- */

uint64_t webhook_call_ms(span us)
{
    return us > 0 ? (uint64_t)((us + SPAN_MS - 1) / SPAN_MS) : 0;
}

static void add_field(struct webhook_call *call, struct str name, struct str value)
{
    char text[FIELD_MAX];
    struct buf line = BUF(text);
    struct curl_slist *list;

    value = str_trim(value);
    buf_str(&line, name);
    buf_text(&line, value.len > 0 ? ": " : ";"); /* with `:` alone it would be left out */
    buf_str(&line, value);
    must(!line.cut);
    list = curl_slist_append(call->fields, text);
    must(list != NULL);
    call->fields = list;
}

/* The URL that libcurl gets has another host: see webhook_tls.c. */
static void add_host(struct webhook_call *call)
{
    struct str scheme, host = {0}, rest;

    if (str_cut(call->url, '/', &scheme, &rest) && str_cut(rest, '/', &scheme, &rest) &&
        !str_cut(rest, '/', &host, &scheme))
        host = rest;
    add_field(call, STR("Host"), host);
}

/* Prevents libcurl from adding a header of its own. */
static void suppress_field(struct webhook_call *call, const char *name_and_colon)
{
    struct curl_slist *list = curl_slist_append(call->fields, name_and_colon);

    must(list != NULL);
    call->fields = list;
}

/* Headers that the user wrote for one host, including keys, are not sent to another. */
static bool is_for_any_origin(struct str name)
{
    return str_eq_nocase(name, STR("Accept")) || str_eq_nocase(name, STR("Content-Type")) ||
           str_eq_nocase(name, STR("User-Agent"));
}

static void add_signature(struct webhook_call *call)
{
    const struct webhook_request *r = &call->request;
    struct signature_message message = {r->message_id, instant_seconds(clock_now())};
    char number[32], text[SIGNATURE_TEXT_MAX];
    struct buf seconds = BUF(number), list = BUF(text);

    buf_printf(&seconds, "%" PRId64, message.seconds);
    signature_make(r->keys, r->key_count, message, call->has_body ? r->body : STR(""), &list);
    must(!list.cut);
    add_field(call, STR("webhook-id"), r->message_id);
    add_field(call, STR("webhook-timestamp"), buf_as_str(&seconds));
    add_field(call, STR("webhook-signature"), buf_as_str(&list));
}

static void set_fields(struct webhook_call *call)
{
    const struct webhook_request *r = &call->request;
    bool has_type = false;

    curl_slist_free_all(call->fields);
    call->fields = NULL;
    for (int i = 0; i < r->header_count; i++) {
        bool is_type = str_eq_nocase(r->headers[i].name, STR("Content-Type"));

        if ((call->is_other_origin && !is_for_any_origin(r->headers[i].name)) ||
            (is_type && r->has_body && !call->has_body))
            continue;
        has_type = has_type || is_type;
        add_field(call, r->headers[i].name, r->headers[i].value);
    }
    for (int i = 0; i < r->extra_count; i++) {
        has_type = has_type || str_eq_nocase(r->extra[i].name, STR("Content-Type"));
        add_field(call, r->extra[i].name, r->extra[i].value);
    }
    if (r->key_count > 0 && !call->is_other_origin)
        add_signature(call);
    if (call->connect_to)
        add_host(call);
    if (r->is_h2)
        add_field(call, STR("TE"), STR("trailers"));
    if (!has_type)
        suppress_field(call, "Content-Type:");
    suppress_field(call, "Expect:");
    SET(call, CURLOPT_HTTPHEADER, call->fields);
}

static bool has_length_always(struct str method)
{
    return str_eq(method, STR("POST")) || str_eq(method, STR("PUT")) ||
           str_eq(method, STR("PATCH"));
}

static void set_method(struct webhook_call *call)
{
    if (str_eq(call->method, STR("HEAD"))) {
        SET(call, CURLOPT_NOBODY, 1L);
        return;
    }
    if (call->has_body || has_length_always(call->method)) {
        struct str body = call->has_body ? call->request.body : STR("");

        SET(call, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
        SET(call, CURLOPT_POSTFIELDS, body.ptr);
    }
    SET(call, CURLOPT_CUSTOMREQUEST, call->method.ptr);
}

static void set_callbacks(struct webhook_call *call)
{
    SET(call, CURLOPT_PRIVATE, call);
    SET(call, CURLOPT_ERRORBUFFER, call->curl_text);
    SET(call, CURLOPT_OPENSOCKETFUNCTION, on_open);
    SET(call, CURLOPT_OPENSOCKETDATA, call);
    SET(call, CURLOPT_PREREQFUNCTION, on_send);
    SET(call, CURLOPT_PREREQDATA, call);
    SET(call, CURLOPT_HEADERFUNCTION, on_head);
    SET(call, CURLOPT_HEADERDATA, call);
    SET(call, CURLOPT_WRITEFUNCTION, on_body);
    SET(call, CURLOPT_WRITEDATA, call);
}

/*
 * A reused connection may be closed by its host just now; a request that is sent at most once
 * gets a new one, because it cannot be retried.  libcurl cannot reuse an HTTP/2 connection
 * without TLS.
 */
static void set_connection(struct webhook_call *call)
{
    bool is_h2 = call->request.is_h2;
    bool is_tls = str_eq_nocase((struct str){call->url.ptr, sizeof "https" - 1}, STR("https"));
    bool is_alone = call->request.is_once || (is_h2 && !is_tls);
    long version = !is_h2   ? CURL_HTTP_VERSION_1_1
                   : is_tls ? CURL_HTTP_VERSION_2TLS
                            : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;

    SET(call, CURLOPT_HTTP_VERSION, version);
    SET(call, CURLOPT_PIPEWAIT, is_h2 && !is_alone ? 1L : 0L);
    SET(call, CURLOPT_FRESH_CONNECT, is_alone ? 1L : 0L);
    SET(call, CURLOPT_FORBID_REUSE, is_h2 && is_alone ? 1L : 0L);
}

static void set_rules(struct webhook_call *call, const struct webhook_limits *limits)
{
    SET(call, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(call, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    SET(call, CURLOPT_FOLLOWLOCATION, 0L);
    SET(call, CURLOPT_PROXY, ""); /* ignore the environment's */
    SET(call, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(call, CURLOPT_PATH_AS_IS, 1L);
    SET(call, CURLOPT_SSL_VERIFYPEER, 1L);
    SET(call, CURLOPT_SSL_VERIFYHOST, 2L);
    SET(call, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(call, CURLOPT_NOSIGNAL, 1L);
    SET(call, CURLOPT_QUICK_EXIT, 1L); /* otherwise giving up waits for the name server */
    SET(call, CURLOPT_TCP_KEEPALIVE, 1L);
    SET(call, CURLOPT_MAXAGE_CONN, (long)IDLE_SECONDS);
    SET(call, CURLOPT_DNS_CACHE_TIMEOUT, (long)NAMES_SECONDS);
    if (limits->agent)
        SET(call, CURLOPT_USERAGENT, limits->agent);
}

static void reset_hop(struct webhook_call *call)
{
    call->is_opened = call->is_refused = call->is_late = false;
    call->is_sent_now = call->has_byte = call->is_past_head = call->is_too_long = false;
    call->head_bytes = 0;
    call->body_bytes = 0;
    call->retry_after = STR("");
    call->curl_text[0] = '\0';
    call->result.status = 0;
    call->result.header_count = 0;
    call->result.body.len = 0;
    call->result.is_cut = false;
}

bool webhook_call_prepare(struct webhook_call *call, const struct webhook_limits *limits)
{
    span left = call->request.total_us - (clock_boot_us() - call->begun_us);

    if (left <= 0)
        return false;
    reset_hop(call);
    call->body_max = limits->answer_max;
    curl_easy_reset(call->easy);
    set_callbacks(call);
    set_rules(call, limits);
    set_connection(call);
    SET(call, CURLOPT_URL, call->url.ptr);
    webhook_tls_set(call, limits->ca_file);
    SET(call, CURLOPT_CONNECTTIMEOUT_MS, (long)webhook_call_ms(call->request.connect_us));
    SET(call, CURLOPT_TIMEOUT_MS, (long)webhook_call_ms(left));
    set_method(call);
    set_fields(call); /* after the rules of TLS, which may add one */
    return true;
}
