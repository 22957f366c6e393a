/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of a full disk: a small file system for the server, which is filled and emptied.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "peers/receiver.h"
#include "request.h"

enum {
    BLOCK = 64 * 1024,
    BLOCKS_MAX = 4096,
    TEXT_MAX = 256,
    CREATES_MAX = 5000,
    CALLS = 16,
    ANSWER = 250 * 1000, /* bytes of each answer */
    LEFT = 1 << 20,      /* bytes left: enough for some turns, not for all answers */
};

#define QUEUED "'action':{'type':'queue','queue':'q'}"

/* Mounts the file system and runs the rest; only the server sees it. */
#define MOUNT(size) "mount -t tmpfs -o size=" size " tmpfs \"$0\" && exec \"$@\""

/* The file that fills the server's disk, by a path outside its mount namespace. */
static const char *filling_path(const struct server *d)
{
    static char path[TEXT_MAX];

    snprintf(path, sizeof path, "/proc/%d/root%s/disk/filling", (int)d->pid, d->world->dir);
    return path;
}

static struct server *spawn_on_disk(struct world *w, const char *mount)
{
    char dir[sizeof w->dir + sizeof "/disk"];

    if (system("unshare -rm true 2>/dev/null") != 0)
        skip(); /* this system does not allow mounts */
    snprintf(dir, sizeof dir, "%s/disk", w->dir);
    assert_int_equal(mkdir(dir, 0700), 0);
    snprintf(w->url, sizeof w->url, "sqlite:%s/belfry.db", dir);
    return server_spawn(
        w, &(struct server_start){.via = WORDS("unshare", "-rm", "sh", "-c", mount, dir)});
}

/* Fills the disk to the last byte. */
static void fill(const struct server *d)
{
    static const char block[BLOCK];
    int fd = open(filling_path(d), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    errno = 0;
    for (size_t size = sizeof block; size > 0; size /= 2)
        for (int i = 0; i < BLOCKS_MAX && write(fd, block, size) == (ssize_t)size; i++)
            continue;
    assert_int_equal(errno, ENOSPC); /* the server may free space from now on */
    close(fd);
}

/* Creates schedules until one is refused; returns how many were created. */
static int create_until_refused(struct server *d, struct answer *ret)
{
    for (int i = 0; i < CREATES_MAX; i++) {
        *ret = ask(d, "POST", "/api/v1/schedules", "{'id':'s%d'," QUEUED "}", i);
        if (ret->status != 201)
            return i;
    }
    fail_msg("the disk is never full");
    return 0;
}

static void on_a_full_disk_new_work_is_refused_and_running_work_ends(void **state)
{
    struct world *w = *state;
    struct server *d = spawn_on_disk(w, MOUNT("40m"));
    struct answer answer;
    const json_t *run;
    int made;

    d->port = server_port(d);
    server_await(d, "msg=ready");
    make_schedule(d, "work", QUEUED);
    trigger(d, "work");
    run = at(claim(d, "q", 1, "5s"), "[0]");
    fill(d);
    made = create_until_refused(d, &answer);
    assert_int_equal(answer.status, 503);
    assert_string_equal(text_at(answer.json, "code"),
                        "unavailable"); /* the change was not made */
    assert_non_null(strstr(text_at(answer.json, "detail"), "full"));
    UNTIL((answer = ask(d, "GET", "/readyz", NULL)).status == 503);
    assert_non_null(strstr(text_at(answer.json, "detail"), "full"));

    /* Reading works, and running work can end: the server has a reserve. */
    api(d, 200, "GET", "/api/v1/schedules/work", NULL);
    assert_int_equal(tell_run(d, "complete", run, "").status, 200);
    assert_int_equal(number_at(schedule_state(d, "work"), "counters.succeeded"), 1);

    assert_int_equal(unlink(filling_path(d)), 0);
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 200);
    assert_true(server_has_logged(d, "disk has space again"));
    make_schedule(d, "after", QUEUED);
    for (int i = 0; i < made; i++) {
        char path[TEXT_MAX];

        snprintf(path, sizeof path, "/api/v1/schedules/s%d", i);
        api(d, 200, "GET", path, NULL);
    }
    assert_int_equal(server_stop(d), 0);
}

/* Without room for the reserve the server answers, and says why it is not ready. */
static void a_server_without_room_for_its_reserve_is_not_ready(void **state)
{
    struct world *w = *state;
    struct server *d = spawn_on_disk(w, MOUNT("8m"));
    struct answer answer;

    d->port = server_port(d);
    server_await(d, "msg=\"disk full\"");
    UNTIL(ask(d, "GET", "/api/v1/schedules/none", NULL).status == 404); /* the server answers */
    answer = ask(d, "GET", "/readyz", NULL);
    assert_int_equal(answer.status, 503);
    assert_non_null(strstr(text_at(answer.json, "detail"), "full"));
    api(d, 503, "POST", "/api/v1/schedules", "{'id':'s'," QUEUED "}");
    api(d, 503, "POST", "/api/v1/queues/claim", "{'queues':['q'],'max':1,'wait':'0s'}");
    assert_int_equal(server_stop(d), 0);
}

static bool has_ended(struct server *d, const char *id)
{
    char path[TEXT_MAX];

    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    return strcmp(text_at(api(d, 200, "GET", path, NULL), "state"), "ended") == 0;
}

/* A longer answer than receiver_answer() can send. */
static void send_long_answer(struct received_request *request)
{
    static char body[ANSWER];

    memset(body, 'x', sizeof body);
    assert_true(dprintf(request->fd, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", ANSWER) >
                0);
    for (size_t at = 0; at < sizeof body;) {
        ssize_t n = write(request->fd, body + at, sizeof body - at);

        assert_true(n > 0);
        at += (size_t)n;
    }
    close(request->fd);
}

/* The disk has room for the results of some calls, but not for a turn with all of them. */
static void results_are_stored_although_they_fill_the_disk(void **state)
{
    struct world *w = *state;
    struct server *d = spawn_on_disk(w, MOUNT("48m"));
    static struct received_request requests[CALLS];
    const char *ids[CALLS];
    struct receiver r;
    struct stat st;

    receiver_open(&r);
    d->port = server_port(d);
    server_await(d, "msg=ready");
    api(d, 200, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'allowNetworks':['127.0.0.1/32']}}");
    for (int i = 0; i < CALLS; i++) {
        char id[TEXT_MAX];

        snprintf(id, sizeof id, "call%d", i);
        make_schedule(d, id,
                      "'action':{'type':'http','url':'http://127.0.0.1:%u/','keepBytes':%d}",
                      r.port, ANSWER);
        ids[i] = trigger(d, id);
        receiver_take(&r, &requests[i]);
    }
    fill(d);
    assert_int_equal(stat(filling_path(d), &st), 0);
    assert_int_equal(truncate(filling_path(d), st.st_size - LEFT), 0);
    for (int i = 0; i < CALLS; i++)
        send_long_answer(&requests[i]);
    for (int i = 0; i < CALLS; i++)
        UNTIL(has_ended(d, ids[i]));
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(on_a_full_disk_new_work_is_refused_and_running_work_ends),
        E2E_TEST(results_are_stored_although_they_fill_the_disk),
        E2E_TEST(a_server_without_room_for_its_reserve_is_not_ready),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
