/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON values allocated from thread caches: each thread owns its cache, whichever thread frees
 * a value.
 */
#include "wire/json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

enum { MANY = 300, LENGTH_MAX = 200 };

/* A list of objects of one key, with strings of all lengths around the cached sizes. */
static json_t *make(char letter)
{
    json_t *list = json_new_list();
    char text[LENGTH_MAX];

    memset(text, letter, sizeof text);
    for (size_t i = 0; i < MANY; i++) {
        json_t *object = json_new_object();

        json_put(object, "text", json_new_str((struct str){text, i % sizeof text}));
        json_add(list, object);
    }
    return list;
}

static void assert_made(const json_t *list, char letter)
{
    assert_int_equal(json_array_size(list), MANY);
    for (size_t i = 0; i < MANY; i++) {
        const json_t *text = json_object_get(json_array_get(list, i), "text");

        assert_int_equal(json_string_length(text), i % LENGTH_MAX);
        for (size_t n = 0; n < json_string_length(text); n++)
            assert_int_equal(json_string_value(text)[n], letter);
    }
}

static void values_made_of_freed_ones_do_not_share_memory(void **state)
{
    (void)state;
    json_decref(make('a'));
    {
        json_t *one = make('b'), *other = make('c');

        assert_made(one, 'b');
        json_decref(one);
        one = make('d');
        assert_made(other, 'c');
        assert_made(one, 'd');
        json_decref(one);
        json_decref(other);
    }
}

static void *free_it(void *value)
{
    json_decref(value);
    return make('f');
}

static void values_pass_from_thread_to_thread(void **state)
{
    json_t *kept = make('e');
    pthread_t thread;
    void *made;

    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&thread, NULL, free_it, make('g')), 0);
        json_decref(make('h'));
        assert_int_equal(pthread_join(thread, &made), 0);
        assert_made(made, 'f');
        json_decref(made);
    }
    assert_made(kept, 'e');
    json_decref(kept);
}

static void texts_of_jansson_may_be_freed_by_free(void **state)
{
    json_t *value = make('i');
    char *text = json_dumps(value, 0);

    (void)state;
    assert_non_null(text);
    free(text);
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_made_of_freed_ones_do_not_share_memory),
        cmocka_unit_test(values_pass_from_thread_to_thread),
        cmocka_unit_test(texts_of_jansson_may_be_freed_by_free),
    };

    json_use_thread_cache();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
