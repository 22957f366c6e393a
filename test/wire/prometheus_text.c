/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strict parser of Prometheus' text format; see prometheus_text.h.
 */
#include "prometheus_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { PT_LINES_MAX = 4000, PT_FAMILIES_MAX = 400, PT_NAME_MAX = 128 };

struct pt_family {
    char name[PT_NAME_MAX], type[16];
};

static struct {
    struct pt_family families[PT_FAMILIES_MAX];
    int family_count;
    char series[PT_LINES_MAX][512];
    int series_count;
    double bucket;
    char bucket_of[512];
    char wrong[1024];
} pt;

static bool pt_fail(const char *what, const char *line)
{
    snprintf(pt.wrong, sizeof pt.wrong, "%s: %.200s", what, line);
    return false;
}

static size_t pt_name(const char *text)
{
    size_t n = 0;

    if (!char_is_alpha(text[0]) && text[0] != '_' && text[0] != ':')
        return 0;
    while (char_is_alpha(text[n]) || char_is_digit(text[n]) || text[n] == '_' || text[n] == ':')
        n++;
    return n;
}

/* The position after the closing brace, NULL if the labels are invalid. */
static const char *pt_labels(const char *p)
{
    if (*p != '{')
        return p;
    for (p++; *p != '}';) {
        size_t n = pt_name(p);

        if (n == 0 || memchr(p, ':', n) || p[n] != '=' || p[n + 1] != '"')
            return NULL;
        for (p += n + 2; *p != '"'; p++) {
            if (*p == '\0' || *p == '\n')
                return NULL;
            if (*p == '\\' && p[1] != '\\' && p[1] != '"' && p[1] != 'n')
                return NULL;
            p += *p == '\\';
        }
        p++;
        if (*p == ',')
            p++;
        else if (*p != '}')
            return NULL;
    }
    return p + 1;
}

static bool pt_comment(const char *line)
{
    struct pt_family *last = pt.family_count > 0 ? &pt.families[pt.family_count - 1] : NULL;
    const char *word = line + 2, *rest = line + 7;
    size_t n = pt_name(rest);

    if (strncmp(word, "HELP ", 5) == 0) {
        for (int i = 0; i < pt.family_count; i++)
            if (strlen(pt.families[i].name) == n && memcmp(pt.families[i].name, rest, n) == 0)
                return pt_fail("a second HELP for this family", line);
        if (n == 0 || n >= PT_NAME_MAX || rest[n] != ' ' || pt.family_count == PT_FAMILIES_MAX)
            return pt_fail("no name", line);
        last = &pt.families[pt.family_count++];
        memset(last, 0, sizeof *last);
        memcpy(last->name, rest, n);
        return true;
    }
    if (strncmp(word, "TYPE ", 5) != 0)
        return true;
    if (!last || strlen(last->name) != n || memcmp(last->name, rest, n) != 0 || last->type[0])
        return pt_fail("TYPE does not follow its HELP", line);
    snprintf(last->type, sizeof last->type, "%s", rest + n + 1);
    if (strcmp(last->type, "counter") != 0 && strcmp(last->type, "gauge") != 0 &&
        strcmp(last->type, "histogram") != 0)
        return pt_fail("invalid type", line);
    if (strcmp(last->type, "counter") == 0 && strcmp(last->name + n - 6, "_total") != 0)
        return pt_fail("a counter without _total", line);
    return true;
}

/* Buckets must grow, and the count must be that of the last. */
static bool pt_bucket(const char *line, const char *suffix, double value)
{
    const char *le = strstr(line, "le=\"");
    char of[512];

    if (strcmp(suffix, "_bucket") == 0) {
        if (!le)
            return pt_fail("a bucket without le", line);
        snprintf(of, sizeof of, "%.*s", (int)(le - line), line);
        if (strcmp(of, pt.bucket_of) == 0 && value < pt.bucket)
            return pt_fail("a bucket with less than the one before", line);
        snprintf(pt.bucket_of, sizeof pt.bucket_of, "%s", of);
        pt.bucket = value;
        return true;
    }
    if (strcmp(suffix, "_count") == 0 && value != pt.bucket)
        return pt_fail("a count that is not that of the last bucket", line);
    return true;
}

static bool pt_sample(const char *line)
{
    const struct pt_family *family = pt.families +
                                     (pt.family_count > 0 ? pt.family_count - 1 : 0);
    size_t n = pt_name(line), of = pt.family_count > 0 ? strlen(family->name) : 0;
    const char *end = n > 0 ? pt_labels(line + n) : NULL;
    char *rest, suffix[PT_NAME_MAX] = "";
    double value;

    if (!end || *end != ' ')
        return pt_fail("no name or labels", line);
    if (pt.family_count == 0 || n < of || memcmp(line, family->name, of) != 0 ||
        family->type[0] == '\0')
        return pt_fail("not of the family before it", line);
    snprintf(suffix, sizeof suffix, "%.*s", (int)(n - of), line + of);
    if (strcmp(family->type, "histogram") == 0
            ? strcmp(suffix, "_bucket") != 0 && strcmp(suffix, "_sum") != 0 &&
                  strcmp(suffix, "_count") != 0
            : suffix[0] != '\0')
        return pt_fail("not of the family before it", line);
    value = strtod(end + 1, &rest);
    if (rest == end + 1 || *rest != '\0')
        return pt_fail("no number", line);
    if (strcmp(family->type, "gauge") != 0 && value < 0)
        return pt_fail("below zero", line);
    for (int i = 0; i < pt.series_count; i++)
        if (strlen(pt.series[i]) == (size_t)(end - line) &&
            memcmp(pt.series[i], line, (size_t)(end - line)) == 0)
            return pt_fail("duplicate series", line);
    if (pt.series_count == PT_LINES_MAX || end - line >= 512)
        return pt_fail("too many or too long series", line);
    snprintf(pt.series[pt.series_count++], 512, "%.*s", (int)(end - line), line);
    return pt_bucket(line, suffix, value);
}

const char *prometheus_wrong(const char *text)
{
    memset(&pt, 0, sizeof pt);
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        char line[1024];

        if (!end || end - text >= (long)sizeof line)
            return "a line without an end, or too long";
        snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        if (line[0] == '#' ? !pt_comment(line) : !pt_sample(line))
            return pt.wrong;
        text = end + 1;
    }
    return pt.series_count > 0 ? NULL : "no samples";
}

double prometheus_value(const char *text, const char *series)
{
    size_t n = strlen(series);

    for (const char *p = text; (p = strstr(p, series)); p += n)
        if ((p == text || p[-1] == '\n') && p[n] == ' ')
            return strtod(p + n, NULL);
    return -1;
}
