/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches lists of words.
 */
#include "lists.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "source.h"

bool next_word(const char **list, char word[WORD_BYTES_MAX])
{
    size_t n;

    *list += strspn(*list, " ");
    n = strcspn(*list, " ");
    snprintf(word, WORD_BYTES_MAX, "%.*s", (int)n, *list);
    *list += n;
    return n > 0;
}

bool list_has(const char *list, const char *word, size_t len)
{
    while (*list != '\0') {
        size_t n = strcspn(list, " ");

        if (n == len && memcmp(list, word, n) == 0)
            return true;
        list += n + strspn(list + n, " ");
    }
    return false;
}

bool list_has_path(const char *list, const char *path)
{
    char item[WORD_BYTES_MAX];

    while (next_word(&list, item))
        if (strcmp(item, "*") == 0 || path_is_below(path, item))
            return true;
    return false;
}

bool list_matches(const char *list, const char *name)
{
    char item[WORD_BYTES_MAX];

    while (next_word(&list, item))
        if (fnmatch(item, name, 0) == 0)
            return true;
    return false;
}

const char *folder_of(const char *name, char ret[WORD_BYTES_MAX])
{
    const char *slash = strrchr(name, '/');

    snprintf(ret, WORD_BYTES_MAX, "%.*s", slash ? (int)(slash - name) : 0, name);
    return ret;
}

bool word_covers(const char *word, const char *name)
{
    char folder[WORD_BYTES_MAX];
    size_t len = strlen(word);

    if (strcmp(word, "*") == 0 || strcmp(word, name) == 0)
        return true;
    if (word[len - 1] == '/')
        return strncmp(word, name, len) == 0;
    return strcmp(word, folder_of(name, folder)) == 0;
}

bool list_covers(const char *list, const char *name, bool *used)
{
    char word[WORD_BYTES_MAX];

    for (int i = 0; next_word(&list, word); i++) {
        if (!word_covers(word, name))
            continue;
        if (used)
            used[i] = true;
        return true;
    }
    return false;
}

bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}
