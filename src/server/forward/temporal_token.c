/* SPDX-License-Identifier: Apache-2.0 */
/* Reads task tokens and remembers the ids of namespaces: see temporal_token.h. */
#include "server/forward/temporal_token.h"

#include <stdlib.h>

#include "base/must.h"
#include "wire/grpc/grpc.h"
#include "wire/grpc/proto.h"
#include "wire/temporal.pb-c.h"

/* Of temporal.server.api.token.v1.Task, QueryTask and NexusTask, and of what they contain. */
enum { TOKEN_NAMESPACE_ID = 1, TOKEN_COMPONENT = 14, COMPONENT_NAMESPACE_ID = 1 };
/* Of DescribeNamespaceResponse and NamespaceInfo. */
enum { ANSWER_INFO = 1, INFO_ID = 6 };

bool temporal_token_find(struct str message, int field, struct str *ret)
{
    struct str id;

    must(field > 0);
    return proto_find_text(message, (uint32_t)field, ret) &&
           proto_find_text(*ret, TOKEN_NAMESPACE_ID, &id) && id.len > 0;
}

/*
 * A standalone activity is found by the reference in its token, which has its own namespace.
 * Each reference must have the id, because a server may merge repeated ones.
 */
bool temporal_token_is_of(struct str token, struct str id)
{
    struct str rest = token, found, value;
    uint32_t number;

    must(id.len > 0);
    if (!proto_find_text(token, TOKEN_NAMESPACE_ID, &found) || !str_eq(found, id))
        return false;
    while (proto_next_bytes(&rest, &number, &value))
        if (number == TOKEN_COMPONENT && value.len > 0 &&
            !(proto_find_text(value, COMPONENT_NAMESPACE_ID, &found) && str_eq(found, id)))
            return false;
    return true;
}

struct str temporal_token_describe(struct str namespace, struct arena *arena)
{
    Temporal__DescribeNamespaceRequest request = TEMPORAL__DESCRIBE_NAMESPACE_REQUEST__INIT;

    request.namespace_ = (char *)(uintptr_t)arena_str(arena, namespace).ptr;
    return proto_frame(&request.base, arena);
}

bool temporal_token_read_id(struct str answer, struct str *ret)
{
    struct str message, info, id;
    bool is_compressed;
    struct err ignored;

    if (grpc_unframe(answer, &is_compressed, &message, &ignored) != RC_OK || is_compressed ||
        !proto_find_text(message, ANSWER_INFO, &info) || !proto_find_text(info, INFO_ID, &id) ||
        id.len == 0 || id.len > TEMPORAL_TOKEN_ID_MAX)
        return false;
    *ret = id;
    return true;
}

/* ---- ids ---- */

struct namespace_id {
    char *key; /* name, zero, URL */
    size_t key_len, id_len;
    char id[TEMPORAL_TOKEN_ID_MAX];
};

struct namespace_ids {
    struct namespace_id list[NAMESPACE_IDS_MAX];
    int count, oldest;
};

struct namespace_ids *namespace_ids_new(void)
{
    struct namespace_ids *ids = calloc(1, sizeof *ids);

    must(ids != NULL);
    return ids;
}

struct namespace_ids *namespace_ids_free(struct namespace_ids *ids)
{
    for (int i = 0; i < ids->count; i++)
        free(ids->list[i].key);
    free(ids);
    return NULL;
}

static int find_index(const struct namespace_ids *ids, struct str url, struct str name)
{
    for (int i = 0; i < ids->count; i++) {
        struct str key = {ids->list[i].key, ids->list[i].key_len};

        if (key.len == name.len + 1 + url.len && str_starts(key, name) &&
            key.ptr[name.len] == '\0' && str_eq(str_from(key, name.len + 1), url))
            return i;
    }
    return -1;
}

struct str namespace_ids_find(const struct namespace_ids *ids, struct str url, struct str name)
{
    int i = find_index(ids, url, name);

    return i < 0 ? STR("") : (struct str){ids->list[i].id, ids->list[i].id_len};
}

static char *make_key(struct str url, struct str name)
{
    char *key = calloc(1, name.len + 1 + url.len);

    must(key != NULL);
    memcpy(key, name.ptr, name.len);
    memcpy(key + name.len + 1, url.ptr, url.len);
    return key;
}

void namespace_ids_set(struct namespace_ids *ids, struct str url, struct str name,
                       struct str id)
{
    int i = find_index(ids, url, name);

    must(id.len > 0 && id.len <= TEMPORAL_TOKEN_ID_MAX);
    if (i < 0) {
        i = ids->count < NAMESPACE_IDS_MAX ? ids->count++ : ids->oldest;
        ids->oldest = (i + 1) % NAMESPACE_IDS_MAX;
        free(ids->list[i].key);
        ids->list[i].key = make_key(url, name);
        ids->list[i].key_len = name.len + 1 + url.len;
    }
    memcpy(ids->list[i].id, id.ptr, id.len);
    ids->list[i].id_len = id.len;
}
