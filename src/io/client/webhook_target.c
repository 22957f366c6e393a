/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a URL with libcurl.
 */
#include "io/client/webhook_target.h"

#include <curl/curl.h>
#include <string.h>

#include "base/must.h"
#include "io/client/webhook.h"

static char *url_part(CURLU *parts, CURLUPart part)
{
    char *text = NULL;

    must(curl_url_get(parts, part, &text, CURLU_DEFAULT_PORT) == CURLUE_OK);
    return text;
}

static bool read_target(CURLU *parts, struct webhook_target *ret)
{
    char *host = url_part(parts, CURLUPART_HOST), *port = url_part(parts, CURLUPART_PORT);
    struct str name = str_of(host), digits = str_of(port);
    int64_t number = 0;
    bool fits;

    if (name.len > 2 && name.ptr[0] == '[')
        name = (struct str){name.ptr + 1, name.len - 2};
    fits = name.len < sizeof ret->host && str_take_number(&digits, UINT16_MAX, &number) > 0;
    if (fits) {
        memcpy(ret->host, name.ptr, name.len);
        ret->host[name.len] = '\0';
        ret->port = (uint16_t)number;
    }
    curl_free(host);
    curl_free(port);
    return fits;
}

bool webhook_target(struct str url, struct webhook_target *ret)
{
    char text[WEBHOOK_URL_MAX + 1];
    CURLU *parts;
    bool is_url;

    if (url.len == 0 || url.len > WEBHOOK_URL_MAX)
        return false;
    memcpy(text, url.ptr, url.len);
    text[url.len] = '\0';
    parts = curl_url();
    must(parts != NULL);
    is_url = curl_url_set(parts, CURLUPART_URL, text, CURLU_DISALLOW_USER) == CURLUE_OK &&
             read_target(parts, ret);
    curl_url_cleanup(parts);
    return is_url;
}
