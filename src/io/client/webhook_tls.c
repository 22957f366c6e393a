/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call's own rules for TLS: authorities, a certificate for the host, and another name in the
 * certificate of the host.
 *
 * libcurl verifies the host of the URL.  So for another name the URL gets that name, the
 * connection goes to the host nevertheless, and the Host field says so.
 */
#include "base/buf.h"
#include "base/must.h"
#include "io/client/webhook_parts.h"

enum { CONNECT_MORE = 32 }; /* two ports and their separators */

#define SET(call, option, value) \
    must(curl_easy_setopt((call)->easy, (option), (value)) == CURLE_OK)

static void set_pem(struct webhook_call *call, CURLoption option, struct str pem)
{
    struct curl_blob blob = {.data = (void *)(uintptr_t)pem.ptr,
                             .len = pem.len,
                             .flags = CURL_BLOB_NOCOPY}; /* the call's arena has it */

    if (pem.len > 0)
        SET(call, option, &blob);
}

static void add_field(struct curl_slist **list, const struct buf *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line->ptr);

    must(longer != NULL);
    *list = longer;
}

/* "NAME:443:HOST:443" */
static void connect_to(struct webhook_call *call, const char *host, const char *port)
{
    struct str name = call->request.tls.server_name;
    struct buf line = arena_buf(call->arena, name.len + strlen(host) + CONNECT_MORE);

    buf_printf(&line, "%s:%s:%s:%s", name.ptr, port, host, port);
    (void)buf_whole(&line);
    add_field(&call->connect_to, &line);
    SET(call, CURLOPT_CONNECT_TO, call->connect_to);
}

/* A name that is not valid in a URL changes nothing: the certificate will not match. */
static void set_name(struct webhook_call *call)
{
    CURLU *url = curl_url();
    char *host = NULL, *port = NULL, *changed = NULL;

    must(url != NULL);
    if (curl_url_set(url, CURLUPART_URL, call->url.ptr, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_HOST, call->request.tls.server_name.ptr, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_URL, &changed, 0) == CURLUE_OK) {
        connect_to(call, host, port);
        SET(call, CURLOPT_URL, changed);
    }
    curl_free(host);
    curl_free(port);
    curl_free(changed);
    curl_url_cleanup(url);
}

void webhook_tls_set(struct webhook_call *call, const char *ca_file)
{
    const struct webhook_tls *tls = &call->request.tls;

    curl_slist_free_all(call->connect_to);
    call->connect_to = NULL;
    if (ca_file)
        SET(call, CURLOPT_CAINFO, ca_file);
    if (call->is_other_origin)
        return;
    set_pem(call, CURLOPT_CAINFO_BLOB, tls->ca);
    set_pem(call, CURLOPT_SSLCERT_BLOB, tls->cert);
    set_pem(call, CURLOPT_SSLKEY_BLOB, tls->key);
    if (tls->server_name.len > 0)
        set_name(call);
}
