/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading of small files, and of names that are not files.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file.h"

static void a_file_is_read_whole_or_as_far_as_there_is_room(void **state)
{
    char text[16] = "";

    (void)state;
    assert_int_equal(file_read_at(AT_FDCWD, "test/data/zoneinfo/+VERSION", text, 16), 6);
    assert_memory_equal(text, "2025b\n", 6);
    memset(text, '.', sizeof text);
    assert_int_equal(file_read_at(AT_FDCWD, "test/data/zoneinfo/+VERSION", text, 4), 4);
    assert_memory_equal(text, "2025....", 8);
    assert_int_equal(file_read_at(AT_FDCWD, "test/data/zoneinfo/+VERSION", text, 0), 0);
}

static void a_name_is_relative_to_the_directory(void **state)
{
    int dir = open("test/data/zoneinfo", O_RDONLY | O_DIRECTORY);
    char text[4];

    (void)state;
    assert_true(dir >= 0);
    assert_int_equal(file_read_at(dir, "Europe/Dublin", text, 4), 4);
    assert_memory_equal(text, "TZif", 4);
    close(dir);
}

static void names_that_are_not_files_have_an_errno(void **state)
{
    char text[4] = "abc";
    int ends[2];
    char path[64];

    (void)state;
    assert_int_equal(file_read_at(AT_FDCWD, "test/absent", text, 4), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(file_read_at(AT_FDCWD, "test/data", text, 4), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(file_read_at(AT_FDCWD, "/dev/zero", text, 4), -1);
    assert_int_equal(errno, EISDIR);
    /* A pipe without a writer: a blocking reader would wait forever. */
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(file_read_at(AT_FDCWD, path, text, 4), -1);
    assert_int_equal(errno, EISDIR);
    close(ends[0]);
    close(ends[1]);
    assert_string_equal(text, "abc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_whole_or_as_far_as_there_is_room),
        cmocka_unit_test(a_name_is_relative_to_the_directory),
        cmocka_unit_test(names_that_are_not_files_have_an_errno),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
