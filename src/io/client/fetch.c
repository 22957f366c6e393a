/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking HTTP requests with libcurl, for commands.
 */
#include "io/client/fetch.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "io/clock.h"

struct fetch {
    CURL *easy;
    char error[CURL_ERROR_SIZE];
};

/* State of one request, for the callbacks. */
struct transfer {
    const struct fetch_request *request;
    struct fetch_answer answer;
    size_t head; /* bytes of the answer's head so far */
    bool is_head_too_long;
    bool is_silent; /* for too long */
    bool is_sent;   /* the request, or a part of it */
    curl_off_t sent;
    int64_t moved_at; /* clock_boot_us() of the last byte in either direction */
};

struct fetch *fetch_new(const char *agent, const char *ca_file)
{
    struct fetch *fetch = calloc(1, sizeof *fetch);

    must(fetch && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
    fetch->easy = curl_easy_init();
    must(fetch->easy);
    curl_easy_setopt(fetch->easy, CURLOPT_USERAGENT, agent);
    if (ca_file)
        curl_easy_setopt(fetch->easy, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(fetch->easy, CURLOPT_ERRORBUFFER, fetch->error);
    curl_easy_setopt(fetch->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(fetch->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(fetch->easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(fetch->easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    /* The URL given by the user is called directly; only the command's own options apply. */
    curl_easy_setopt(fetch->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(fetch->easy, CURLOPT_NETRC, CURL_NETRC_IGNORED);
    return fetch;
}

struct fetch *fetch_free(struct fetch *fetch)
{
    if (!fetch)
        return NULL;
    curl_easy_cleanup(fetch->easy);
    curl_global_cleanup();
    free(fetch);
    return NULL;
}

static size_t on_body(char *bytes, size_t one, size_t len, void *arg)
{
    struct transfer *transfer = arg;

    (void)one;
    transfer->moved_at = clock_boot_us();
    if (transfer->request->part(transfer->request->arg, (struct str){bytes, len}))
        return len;
    transfer->answer.was_stopped = true;
    return 0;
}

static void keep_field(struct str line, const char *name, char ret[static FETCH_VALUE_MAX])
{
    struct str field, value;

    if (!str_cut(line, ':', &field, &value) || !str_eq_nocase(field, str_of(name)))
        return;
    while (value.len > 0 && (unsigned char)value.ptr[value.len - 1] <= ' ')
        value.len--;
    value = str_trim(value);
    if (value.len < FETCH_VALUE_MAX)
        snprintf(ret, FETCH_VALUE_MAX, "%.*s", (int)value.len, value.ptr);
}

static size_t on_head(char *bytes, size_t one, size_t len, void *arg)
{
    struct transfer *transfer = arg;
    struct str line = {bytes, len};

    (void)one;
    transfer->moved_at = clock_boot_us();
    transfer->head += len;
    transfer->is_head_too_long = transfer->head > FETCH_HEAD_MAX;
    if (transfer->is_head_too_long)
        return 0;
    if (str_starts(line, STR("HTTP/")))
        transfer->answer = (struct fetch_answer){.status = 0};
    keep_field(line, "ETag", transfer->answer.etag);
    keep_field(line, "Content-Type", transfer->answer.type);
    return len;
}

/*
 * Called at least once a second.  libcurl's own limit is a speed, which a mostly idle stream
 * does not have.
 */
static int on_time(void *arg, curl_off_t all_in, curl_off_t in, curl_off_t all_out,
                   curl_off_t out)
{
    struct transfer *transfer = arg;
    int64_t now = clock_boot_us();

    (void)all_in;
    (void)in;
    (void)all_out;
    if (out != transfer->sent) {
        transfer->sent = out;
        transfer->moved_at = now;
    }
    transfer->is_silent = transfer->request->silence > 0 &&
                          now - transfer->moved_at > transfer->request->silence;
    return transfer->is_silent;
}

/*
 * The request is sent next.  libcurl comes back here to send a request again that had no
 * answer: only what changes nothing may be repeated unnoticed.
 */
static int on_send(void *arg, char *peer, char *local, int peer_port, int local_port)
{
    struct transfer *transfer = arg;
    bool is_again = transfer->is_sent;

    (void)peer;
    (void)local;
    (void)peer_port;
    (void)local_port;
    transfer->is_sent = true;
    return is_again && strcmp(transfer->request->method, "GET") != 0 ? CURL_PREREQFUNC_ABORT
                                                                     : CURL_PREREQFUNC_OK;
}

static struct curl_slist *headers_of(const struct fetch_request *request)
{
    /* A body must not wait for permission: the server is ours. */
    struct curl_slist *list = curl_slist_append(NULL, "Expect:");

    must(list);
    for (int i = 0; request->headers && request->headers[i]; i++) {
        must(i < FETCH_HEADERS_MAX);
        list = curl_slist_append(list, request->headers[i]);
        must(list);
    }
    return list;
}

static void prepare_request(struct fetch *fetch, struct transfer *transfer,
                            struct curl_slist *headers)
{
    const struct fetch_request *r = transfer->request;
    CURL *easy = fetch->easy;

    must(curl_easy_setopt(easy, CURLOPT_URL, r->url) == CURLE_OK);
    /* POST tells libcurl to send a body; the name of the method is set separately. */
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    if (r->has_body) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, r->body.len > 0 ? r->body.ptr : "");
    }
    must(curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, r->method) == CURLE_OK);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(r->connect / SPAN_MS));
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_time);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_send);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    fetch->error[0] = '\0';
}

/* Whether the request may have left this machine. */
static bool may_have_arrived(CURL *easy, CURLcode code)
{
    curl_off_t ready = 0;

    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
        return false;
    default:
        return curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &ready) != CURLE_OK ||
               ready > 0;
    }
}

static enum rc set_failure(const struct fetch *fetch, const struct transfer *transfer,
                           CURLcode code, struct err *reterr)
{
    const char *why = fetch->error[0] != '\0' ? fetch->error : curl_easy_strerror(code);
    bool arrived = may_have_arrived(fetch->easy, code);
    long os = 0;

    if (code == CURLE_COULDNT_CONNECT &&
        curl_easy_getinfo(fetch->easy, CURLINFO_OS_ERRNO, &os) == CURLE_OK && os > 0)
        why = strerror((int)os);
    if (!arrived && (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL))
        return err_set(reterr, RC_INVALID, -1, 0, "invalid URL: %s", why);
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
        return err_set(reterr, RC_CONFLICT, -1, 0, "%s", why);
    if (transfer->is_silent)
        return err_set(reterr, RC_UNKNOWN, -1, 0, "no data for %d seconds",
                       (int)(transfer->request->silence / SPAN_S));
    if (code == CURLE_ABORTED_BY_CALLBACK && transfer->is_sent)
        return err_set(reterr, RC_UNKNOWN, -1, 0,
                       "the server closed the connection without an answer");
    /* libcurl reports a header line that is too long as out of memory; no other case occurs. */
    if (transfer->is_head_too_long || code == CURLE_OUT_OF_MEMORY)
        return err_set(reterr, RC_CORRUPT, -1, 0, "the head of the answer is too long");
    if (arrived && (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY))
        return err_set(reterr, RC_CORRUPT, -1, 0, "the answer is not HTTP: %s", why);
    return err_set(reterr, arrived ? RC_UNKNOWN : RC_LOST, -1, 0, "%s", why);
}

enum rc fetch_run(struct fetch *fetch, const struct fetch_request *request,
                  struct fetch_answer *ret, struct err *reterr)
{
    struct transfer transfer = {.request = request, .moved_at = clock_boot_us()};
    struct curl_slist *headers = headers_of(request);
    long status = 0;
    CURLcode code;

    prepare_request(fetch, &transfer, headers);
    code = curl_easy_perform(fetch->easy);
    curl_easy_getinfo(fetch->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_setopt(fetch->easy, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    if (code != CURLE_OK && !transfer.answer.was_stopped)
        return set_failure(fetch, &transfer, code, reterr);
    transfer.answer.status = (int)status;
    *ret = transfer.answer;
    return RC_OK;
}
