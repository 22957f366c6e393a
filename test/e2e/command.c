/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs commands with files or a pseudo terminal as their input and output.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

enum { ENV_MAX = 32, ALARM_S = 50, SAID_MAX = 512 };

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

static void run(const struct world *world, const struct saying *saying, const int fds[3])
{
    const char *argv[ENV_MAX + 2] = {world->program}, *env[ENV_MAX + 1] = {NULL};
    char home[WORLD_PATH_MAX + 8], server_url[64];
    int n = 0;

    for (int i = 0; saying->words[i] && i < ENV_MAX; i++)
        argv[i + 1] = saying->words[i];
    snprintf(home, sizeof home, "HOME=%s", world->dir);
    env[n++] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    env[n++] = home;
    if (saying->server) {
        snprintf(server_url, sizeof server_url, "BELFRY_SERVER=http://127.0.0.1:%u",
                 saying->server->port);
        env[n++] = server_url;
    }
    for (int i = 0; saying->env && saying->env[i] && n < ENV_MAX - 1; i++)
        env[n++] = saying->env[i];
    env[n++] = "TZ=UTC"; /* a TZ of the test comes first and wins */
    for (int i = 0; i < 3; i++)
        (void)(fds[i] < 0 ? close(i) : dup2(fds[i], i));
    alarm(ALARM_S);
    execve(world->program, (char *const *)argv, (char *const *)env);
    _exit(127);
}

int say_end(pid_t pid)
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

static pid_t start_command(const struct world *world, const struct saying *saying,
                           const int fds[3])
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        run(world, saying, fds);
    return pid;
}

pid_t say_begin(const struct world *world, const struct saying *saying, int out)
{
    const int fds[3] = {temporary(saying->input), out, STDERR_FILENO};
    pid_t pid = start_command(world, saying, fds);

    close(fds[0]);
    return pid;
}

static struct said say_on_terminal(struct world *world, const struct saying *saying)
{
    int inner, outer = open_terminal(saying->columns, &inner);
    const int fds[3] = {inner, inner, inner};
    struct said said = {.err = ""};
    pid_t pid;

    if (saying->input)
        assert_true(write(outer, saying->input, strlen(saying->input)) > 0);
    pid = start_command(world, saying, fds);
    close(inner);
    said.out = read_all(world, outer);
    said.status = say_end(pid);
    return said;
}

static struct said say_to_files(struct world *world, const struct saying *saying)
{
    const int fds[3] = {temporary(saying->input), temporary(NULL), temporary(NULL)};
    struct said said = {.status = say_end(start_command(world, saying, fds))};

    close(fds[0]);
    assert_int_equal(lseek(fds[1], 0, SEEK_SET), 0);
    assert_int_equal(lseek(fds[2], 0, SEEK_SET), 0);
    said.out = read_all(world, fds[1]);
    said.err = read_all(world, fds[2]);
    said.json = world_keep(world, json_loads(said.out, JSON_DECODE_ANY, NULL));
    return said;
}

struct said say_all(struct world *world, const struct saying *saying)
{
    return saying->columns > 0 ? say_on_terminal(world, saying) : say_to_files(world, saying);
}

struct said say_words(struct server *server, int status, const char *const *words)
{
    struct saying saying = {.server = server, .words = words};
    struct said said = say_all(server->world, &saying);
    char line[SAID_MAX] = "";

    for (int i = 0; words[i]; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %s", words[i]);
    if (said.status != status)
        fail_msg("belfry%s ended with %d, not %d:\n%s%s", line, said.status, status, said.out,
                 said.err);
    return said;
}

void has_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("`%s` is not in:\n%s", part, text);
}

void lacks_text(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("`%s` is in:\n%s", part, text);
}
