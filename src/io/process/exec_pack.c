/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks, packs and unpacks requests.
 */
#include "io/process/exec_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"

/* The file: this, then the texts, each followed by a zero. */
struct head {
    struct exec_caps caps;
    int32_t argc, env_count;
};

static enum rc check_text(struct str s, const char *what, struct err *reterr)
{
    if (s.len > 0 && memchr(s.ptr, '\0', s.len))
        return err_set(reterr, RC_INVALID, -1, 0, "%s contains a zero byte", what);
    return RC_OK;
}

static enum rc check_path(struct str s, const char *what, struct err *reterr)
{
    if (s.len == 0 || s.ptr[0] != '/')
        return err_set(reterr, RC_INVALID, -1, 0, "%s is `%.*s`; it must begin with /", what,
                       STR_ARG(s));
    return check_text(s, what, reterr);
}

static enum rc check_var(const struct exec_var *var, struct err *reterr)
{
    enum rc rc = check_text(var->name, "the name of a variable", reterr);

    if (rc == RC_OK && (var->name.len == 0 || memchr(var->name.ptr, '=', var->name.len)))
        rc = err_set(reterr, RC_INVALID, -1, 0, "`%.*s` cannot be the name of a variable",
                     STR_ARG(var->name));
    if (rc == RC_OK)
        rc = check_text(var->value, "the value of a variable", reterr);
    return rc;
}

static enum rc check_words(const struct exec_request *request, struct err *reterr)
{
    enum rc rc = RC_OK;
    size_t bytes = 0;

    for (int i = 0; i < request->argc && rc == RC_OK; i++) {
        bytes += request->argv[i].len + 1;
        rc = check_text(request->argv[i], "an argument", reterr);
    }
    for (int i = 0; i < request->env_count && rc == RC_OK; i++) {
        bytes += request->env[i].name.len + request->env[i].value.len + 2;
        rc = check_var(&request->env[i], reterr);
    }
    if (rc == RC_OK && bytes > EXEC_WORDS_MAX)
        rc = err_set(reterr, RC_LIMIT, -1, 0,
                     "arguments and environment have %zu bytes; the limit is %d", bytes,
                     EXEC_WORDS_MAX);
    return rc;
}

enum rc exec_request_check(const struct exec_request *request, struct err *reterr)
{
    enum rc rc;

    if (request->argc < 1)
        return err_set(reterr, RC_INVALID, -1, 0, "no program given");
    if (request->argc > EXEC_WORD_COUNT_MAX || request->env_count > EXEC_WORD_COUNT_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "more than %d arguments or variables; pass the rest as input",
                       EXEC_WORD_COUNT_MAX);
    if (request->input.len > EXEC_INPUT_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "the input has %zu bytes; the limit is %d",
                       request->input.len, EXEC_INPUT_MAX);
    rc = check_path(request->argv[0], "the program", reterr);
    if (rc == RC_OK && request->file.len > 0)
        rc = check_path(request->file, "the program's file", reterr);
    if (rc == RC_OK && request->cwd.len > 0)
        rc = check_path(request->cwd, "the working directory", reterr);
    if (rc == RC_OK)
        rc = check_text(request->user, "the user", reterr);
    if (rc == RC_OK)
        rc = check_text(request->group, "the group", reterr);
    if (rc == RC_OK)
        rc = check_words(request, reterr);
    return rc;
}

int exec_memory_file(const char *name, struct str bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC);

    if (fd < 0)
        return -1;
    for (size_t done = 0; done < bytes.len;) {
        ssize_t written = pwrite(fd, bytes.ptr + done, bytes.len - done, (off_t)done);

        if (written < 0) {
            int failure = errno;

            close(fd);
            errno = failure;
            return -1;
        }
        done += (size_t)written;
    }
    return fd;
}

static char *put_text(char *at, struct str s, char end)
{
    if (s.len > 0)
        memcpy(at, s.ptr, s.len);
    at[s.len] = end;
    return at + s.len + 1;
}

static size_t packed_size(const struct exec_request *request)
{
    size_t size = sizeof(struct head) + request->cwd.len + request->user.len +
                  request->group.len + request->file.len + 5; /* cwd may become "/" */

    for (int i = 0; i < request->argc; i++)
        size += request->argv[i].len + 1;
    for (int i = 0; i < request->env_count; i++)
        size += request->env[i].name.len + request->env[i].value.len + 2;
    return size;
}

int exec_pack(const struct exec_request *request)
{
    struct head head = {request->caps, request->argc, request->env_count};
    size_t room = packed_size(request);
    char *bytes = malloc(room), *at = bytes;
    int fd;

    must(bytes);
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    at = put_text(at, request->cwd.len > 0 ? request->cwd : STR("/"), '\0');
    at = put_text(at, request->user, '\0');
    at = put_text(at, request->group, '\0');
    at = put_text(at, request->file, '\0');
    for (int i = 0; i < request->argc; i++)
        at = put_text(at, request->argv[i], '\0');
    for (int i = 0; i < request->env_count; i++) {
        at = put_text(at, request->env[i].name, '=');
        at = put_text(at, request->env[i].value, '\0');
    }
    must((size_t)(at - bytes) <= room);
    fd = exec_memory_file("belfry-request", (struct str){bytes, (size_t)(at - bytes)});
    free(bytes);
    return fd;
}

/* The text at *at, which is moved after it. */
static char *read_text(char **at, const char *end)
{
    char *text = *at;
    char *zero = memchr(text, '\0', (size_t)(end - text));

    must(zero);
    *at = zero + 1;
    return text;
}

static char **read_list(char **at, const char *end, int32_t count)
{
    char **list = calloc((size_t)count + 2, sizeof *list); /* one more and the end */

    must(list);
    for (int32_t i = 0; i < count; i++)
        list[i] = read_text(at, end);
    return list;
}

void exec_unpack(int fd, struct exec_pack *ret)
{
    struct stat file;
    struct head head;
    char *bytes, *at, *end;

    must(fstat(fd, &file) == 0 && (size_t)file.st_size > sizeof head);
    bytes = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    must(bytes != MAP_FAILED);
    memcpy(&head, bytes, sizeof head);
    at = bytes + sizeof head;
    end = bytes + file.st_size;
    ret->caps = head.caps;
    ret->cwd = read_text(&at, end);
    ret->user = read_text(&at, end);
    ret->group = read_text(&at, end);
    ret->file = read_text(&at, end);
    ret->argv = read_list(&at, end, head.argc);
    if (ret->file[0] == '\0')
        ret->file = ret->argv[0];
    ret->env = read_list(&at, end, head.env_count);
}
