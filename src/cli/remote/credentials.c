/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the server's address and the token from options, the environment or the token file.
 */
#include "cli/remote/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"

enum { PATH_BYTES_MAX = 4096, OTHERS = 077 };

const char *setting_find(const char *given, const char *variable, const char *fallback)
{
    const char *set = getenv(variable);

    if (given)
        return given;
    return set && set[0] != '\0' ? set : fallback;
}

static bool file_path(struct buf *out)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (config && config[0] == '/')
        buf_printf(out, "%s/belfry/token", config);
    else if (home && home[0] == '/')
        buf_printf(out, "%s/.config/belfry/token", home);
    return out->len > 0 && !out->cut;
}

/* Reads the file; *ret_len is 0 when it does not exist. */
static enum rc read_file(const char *path, char *bytes, size_t *ret_len, struct err *reterr)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat stat;
    ssize_t n;

    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        *ret_len = 0;
        return RC_OK;
    }
    if (fd < 0)
        return err_set(reterr, RC_INVALID, -1, 0, "cannot read token file %s: %s", path,
                       strerror(errno));
    if (fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode)) {
        close(fd);
        return err_set(reterr, RC_INVALID, -1, 0, "token file %s is not a regular file", path);
    }
    if ((stat.st_mode & OTHERS) != 0) {
        close(fd);
        return err_set(reterr, RC_INVALID, -1, 0,
                       "token file %s is readable by other users; run chmod 600 %s", path,
                       path);
    }
    n = read(fd, bytes, TOKEN_MAX);
    close(fd);
    if (n < 0)
        return err_set(reterr, RC_INVALID, -1, 0, "cannot read token file %s: %s", path,
                       strerror(errno));
    *ret_len = (size_t)n;
    return RC_OK;
}

/* The token becomes a header value: visible ASCII of limited length. */
static enum rc check_token(struct str token, const char *where, struct err *reterr)
{
    bool is_good = token.len < TOKEN_MAX;

    for (size_t i = 0; i < token.len; i++)
        is_good = is_good && token.ptr[i] > ' ' && token.ptr[i] < 0x7f;
    if (is_good)
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0,
                   "%s: invalid token; use one line such as bf_editor_...", where);
}

enum rc token_find(const char *given, char ret[static TOKEN_MAX], struct err *reterr)
{
    char path[PATH_BYTES_MAX], bytes[TOKEN_MAX];
    struct buf where = BUF(path), out = {.ptr = ret, .cap = TOKEN_MAX};
    const char *set = setting_find(given, "BELFRY_TOKEN", NULL);
    struct str token = str_of(set), rest;
    size_t len = 0;
    enum rc rc = RC_OK;

    if (!set && file_path(&where)) {
        rc = read_file(path, bytes, &len, reterr);
        token = (struct str){bytes, len};
        str_cut(token, '\n', &token, &rest);
        token = str_trim(token);
    }
    if (!rc)
        rc = check_token(token, given ? "--token" : set ? "BELFRY_TOKEN" : path, reterr);
    if (!rc)
        buf_str(&out, token);
    return rc;
}
