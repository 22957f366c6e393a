/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs commands with files or a pseudo terminal as their input and output.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

enum { ENV_MAX = 32, ALARM_S = 120, LINE_BYTES = 512 };

/* Keeps a text until the end of the test, as a JSON string of the world. */
static const char *keep_text(struct world *world, const char *text, size_t len)
{
    return json_string_value(world_keep(world, json_stringn_nocheck(text, len)));
}

static int temporary(const char *text)
{
    char path[] = "/tmp/belfry-e2e-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    size_t len = text ? strlen(text) : 0;

    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write(fd, text ? text : "", len), (ssize_t)len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void run(const struct world *world, const struct command *command, const int fds[3])
{
    const char *argv[ENV_MAX + 2] = {world->program}, *env[ENV_MAX + 1] = {NULL};
    char home[WORLD_PATH_MAX + 8], server_url[64];
    int n = 0;

    for (int i = 0; command->words[i] && i < ENV_MAX; i++)
        argv[i + 1] = command->words[i];
    snprintf(home, sizeof home, "HOME=%s", world->dir);
    env[n++] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    env[n++] = home;
    if (command->server) {
        snprintf(server_url, sizeof server_url, "BELFRY_SERVER=http://127.0.0.1:%u",
                 command->server->port);
        env[n++] = server_url;
    }
    for (int i = 0; command->env && command->env[i] && n < ENV_MAX - 1; i++)
        env[n++] = command->env[i];
    env[n++] = "TZ=UTC"; /* getenv() finds a TZ of the test first */
    for (int i = 0; i < 3; i++)
        (void)(fds[i] < 0 ? close(i) : dup2(fds[i], i));
    alarm(ALARM_S);
    execve(world->program, (char *const *)argv, (char *const *)env);
    _exit(127);
}

int command_end(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const char *read_all(struct world *world, int fd)
{
    char *text = malloc(COMMAND_OUT_MAX);
    size_t len = 0;
    ssize_t n;
    const char *kept;

    assert_non_null(text);
    /* Reading a terminal whose other side is closed fails with EIO. */
    while (len < COMMAND_OUT_MAX && (n = read(fd, text + len, COMMAND_OUT_MAX - len)) > 0)
        len += (size_t)n;
    kept = keep_text(world, text, len);
    free(text);
    close(fd);
    return kept;
}

static int open_terminal(int columns, int *ret_inner)
{
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(grantpt(fd), 0);
    assert_int_equal(unlockpt(fd), 0);
    *ret_inner = open(ptsname(fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(*ret_inner >= 0);
    assert_int_equal(ioctl(*ret_inner, TIOCSWINSZ, &size), 0);
    return fd;
}

static pid_t start_command(const struct world *world, const struct command *command,
                           const int fds[3])
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        run(world, command, fds);
    return pid;
}

pid_t command_begin(const struct world *world, const struct command *command, int out)
{
    const int fds[3] = {temporary(command->input), out, STDERR_FILENO};
    pid_t pid = start_command(world, command, fds);

    close(fds[0]);
    return pid;
}

static struct command_result run_on_terminal(struct world *world, const struct command *command)
{
    int inner, outer = open_terminal(command->columns, &inner);
    const int fds[3] = {inner, inner, inner};
    struct command_result result = {.err = ""};
    pid_t pid;

    if (command->input)
        assert_true(write(outer, command->input, strlen(command->input)) > 0);
    pid = start_command(world, command, fds);
    close(inner);
    result.out = read_all(world, outer);
    result.status = command_end(pid);
    return result;
}

static struct command_result run_to_files(struct world *world, const struct command *command)
{
    const int fds[3] = {temporary(command->input), temporary(NULL), temporary(NULL)};
    struct command_result result = {.status = command_end(start_command(world, command, fds))};

    close(fds[0]);
    assert_int_equal(lseek(fds[1], 0, SEEK_SET), 0);
    assert_int_equal(lseek(fds[2], 0, SEEK_SET), 0);
    result.out = read_all(world, fds[1]);
    result.err = read_all(world, fds[2]);
    result.json = world_keep(world, json_loads(result.out, JSON_DECODE_ANY, NULL));
    return result;
}

struct command_result command_run(struct world *world, const struct command *command)
{
    return command->columns > 0 ? run_on_terminal(world, command)
                                : run_to_files(world, command);
}

struct command_result command_expect(struct server *server, int status,
                                     const char *const *words)
{
    struct command command = {.server = server, .words = words};
    struct command_result result = command_run(server->world, &command);
    char line[LINE_BYTES] = "";

    for (int i = 0; words[i]; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %s", words[i]);
    if (result.status != status)
        fail_msg("belfry%s ended with %d, not %d:\n%s%s", line, result.status, status,
                 result.out, result.err);
    return result;
}

void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("`%s` is not in:\n%s", part, text);
}

void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("`%s` is in:\n%s", part, text);
}
