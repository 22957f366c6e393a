/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookups by the lookup thread: no caller waits, results are cached, and owners take turns.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/lookup.h"

/* A name server that answers when the test lets it. */
struct server {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int permits; /* answers that it may give      */
    int answered;
    bool is_inside; /* it works on a question        */
    bool is_freed;
    char order[4 * LOOKUP_QUEUE_MAX + 1]; /* first letters of the answers */
    bool has_no_answer;
};

static struct server server;

static bool answer(void *arg, const char *name, struct lookup_answer *ret)
{
    bool is_known;

    assert_ptr_equal(arg, &server);
    pthread_mutex_lock(&server.mutex);
    server.is_inside = true;
    pthread_cond_broadcast(&server.changed);
    while (server.permits == 0)
        pthread_cond_wait(&server.changed, &server.mutex);
    server.permits--;
    server.order[server.answered++] = name[0];
    server.is_inside = false;
    is_known = !server.has_no_answer;
    pthread_cond_broadcast(&server.changed);
    pthread_mutex_unlock(&server.mutex);
    snprintf(ret->text, sizeof ret->text, "about %s", name);
    return is_known;
}

static void on_free(void *arg)
{
    struct server *s = arg;

    pthread_mutex_lock(&s->mutex);
    s->is_freed = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
}

static void allow(int permits)
{
    pthread_mutex_lock(&server.mutex);
    server.permits += permits;
    pthread_cond_broadcast(&server.changed);
    pthread_mutex_unlock(&server.mutex);
}

static void wait_answered(int count)
{
    pthread_mutex_lock(&server.mutex);
    while (server.answered < count || server.is_inside)
        pthread_cond_wait(&server.changed, &server.mutex);
    pthread_mutex_unlock(&server.mutex);
}

static void wait_inside(void)
{
    pthread_mutex_lock(&server.mutex);
    while (!server.is_inside)
        pthread_cond_wait(&server.changed, &server.mutex);
    pthread_mutex_unlock(&server.mutex);
}

static void wait_freed(void)
{
    pthread_mutex_lock(&server.mutex);
    while (!server.is_freed)
        pthread_cond_wait(&server.changed, &server.mutex);
    pthread_mutex_unlock(&server.mutex);
}

/* The thread may end later, if it is about to return from answer(). */
static void end(struct lookup *l)
{
    assert_null(lookup_free(l));
    wait_freed();
}

static struct lookup *start(void)
{
    static lookup_fn *const kinds[] = {answer, answer};

    server = (struct server){.mutex = PTHREAD_MUTEX_INITIALIZER,
                             .changed = PTHREAD_COND_INITIALIZER};
    return lookup_new(kinds, 2, &server, on_free);
}

/* The thread stores the answer after the function has returned. */
static void wait_known(struct lookup *l, int kind, const char *name, struct lookup_answer *ret)
{
    while (!lookup_ask(l, kind, str_of(name), 1, ret))
        continue;
}

static void an_answer_is_known_at_a_later_call(void **state)
{
    struct lookup *l = start();
    struct lookup_answer found;

    (void)state;
    assert_false(lookup_ask(l, 0, STR("a"), 1, &found)); /* the server has no permit: no wait */
    assert_false(lookup_ask(l, 0, STR("a"), 1, &found));
    allow(2);
    wait_known(l, 0, "a", &found);
    assert_string_equal(found.text, "about a");
    assert_true(lookup_ask(l, 0, STR("a"), 1, &found));
    /* Another kind of question has its own answer; the first was asked once. */
    assert_false(lookup_ask(l, 1, STR("a"), 1, &found));
    wait_answered(2);
    end(l);
    assert_string_equal(server.order, "aa");
}

static void names_that_cannot_exist_are_not_looked_up(void **state)
{
    struct lookup *l = start();
    char name[LOOKUP_NAME_MAX + 1];
    struct lookup_answer found;

    (void)state;
    memset(name, 'x', sizeof name);
    assert_false(lookup_ask(l, 0, (struct str){name, sizeof name}, 1, &found));
    assert_false(lookup_ask(l, 0, (struct str){"a\0b", 3}, 1, &found));
    assert_false(lookup_ask(l, 0, STR(""), 1, &found));
    allow(1);
    wait_known(l, 0, "y", &found); /* the only question of the thread */
    end(l);
    assert_string_equal(server.order, "y");
}

/* Owner 1 asks a to e, then owner 2 asks z: z is second, not sixth. */
static void many_questions_of_one_owner_do_not_delay_another(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct lookup *l = start();
    struct lookup_answer found;

    (void)state;
    for (int i = 0; i < 5; i++) {
        lookup_ask(l, 0, str_of(names[i]), 1, &found);
        if (i == 0)
            wait_inside();
    }
    lookup_ask(l, 0, STR("z"), 2, &found);
    allow(6);
    wait_answered(6);
    end(l);
    assert_string_equal(server.order, "azbcde");
}

static void a_question_without_an_answer_stays_unknown(void **state)
{
    struct lookup *l = start();
    struct lookup_answer found;

    (void)state;
    server.has_no_answer = true;
    assert_false(lookup_ask(l, 0, STR("a"), 1, &found));
    allow(1);
    wait_answered(1);
    assert_false(lookup_ask(l, 0, STR("a"), 1, &found));
    end(l);
    assert_int_equal(server.answered, 1); /* it is not asked again at once */
}

/* A full queue drops questions; the answers that it gives are those of the first ones. */
static void further_questions_are_dropped(void **state)
{
    struct lookup *l = start();
    struct lookup_answer found;
    char name[16];

    (void)state;
    for (int i = 0; i < 4 * LOOKUP_QUEUE_MAX; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert_false(lookup_ask(l, 0, str_of(name), 1, &found));
    }
    allow(1);
    wait_known(l, 0, "n0", &found);
    allow(4 * LOOKUP_QUEUE_MAX);
    end(l);
}

static void the_end_does_not_wait_for_a_slow_answer(void **state)
{
    struct lookup *l = start();
    struct lookup_answer found;

    (void)state;
    lookup_ask(l, 0, STR("a"), 1, &found);
    wait_inside();
    assert_null(lookup_free(l)); /* the server has no permit yet */
    assert_false(server.is_freed);
    allow(1);
    wait_freed();
    assert_null(lookup_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_known_at_a_later_call),
        cmocka_unit_test(names_that_cannot_exist_are_not_looked_up),
        cmocka_unit_test(many_questions_of_one_owner_do_not_delay_another),
        cmocka_unit_test(a_question_without_an_answer_stays_unknown),
        cmocka_unit_test(further_questions_are_dropped),
        cmocka_unit_test(the_end_does_not_wait_for_a_slow_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
