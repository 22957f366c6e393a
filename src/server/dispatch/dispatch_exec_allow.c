/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which programs the configuration allows.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "server/dispatch/dispatch_exec_allow.h"

/* Resolves all symbolic links; returns false and sets errno if the file does not exist. */
static bool resolve_path(struct str path, char ret[PATH_MAX])
{
    char text[PATH_MAX];

    if (path.len >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(text, path.ptr, path.len);
    text[path.len] = '\0';
    return realpath(text, ret) != NULL;
}

static bool entry_allows(struct str entry, struct str file)
{
    char path[PATH_MAX];
    struct str allowed;

    if (entry.len == 0 || !resolve_path(entry, path))
        return false;
    allowed = str_of(path);
    if (entry.ptr[entry.len - 1] != '/')
        return str_eq(allowed, file);
    if (allowed.len == 1)
        return true; /* the root directory */
    return file.len > allowed.len && str_starts(file, allowed) && file.ptr[allowed.len] == '/';
}

enum rc exec_allowed(struct str program, const struct str *allow, int allow_count,
                     struct arena *arena, struct str *ret_file, struct err *reterr)
{
    bool is_any = allow_count == 0;
    char file[PATH_MAX];

    for (int i = 0; i < allow_count; i++)
        is_any = is_any || str_eq(allow[i], STR("*"));
    if (is_any) {
        *ret_file = (struct str){0};
        return RC_OK;
    }
    if (!resolve_path(program, file))
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "cannot run \"%.*s\": %s", STR_ARG(program),
                       strerrordesc_np(errno));
    for (int i = 0; i < allow_count; i++) {
        if (entry_allows(allow[i], str_of(file))) {
            *ret_file = arena_str(arena, str_of(file));
            return RC_OK;
        }
    }
    if (str_eq(program, str_of(file)))
        return err_set(reterr, RC_CONFLICT, -1, 0,
                       "exec_allow in the server's configuration does not allow the program "
                       "\"%.*s\"",
                       STR_ARG(program));
    return err_set(reterr, RC_CONFLICT, -1, 0,
                   "exec_allow in the server's configuration does not allow the program "
                   "\"%.*s\", which is \"%.100s\"",
                   (int)(program.len > 100 ? 100 : program.len), program.ptr, file);
}
