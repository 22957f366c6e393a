/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats metrics as Prometheus' text format 0.0.4.
 */
#include "api/call/prometheus.h"

#include <inttypes.h>

/* A name and its labels; two label values may have 1,000 bytes each before escaping. */
enum { LINE_MAX_BYTES = 4096 + 512 };

const span prometheus_bounds[PROMETHEUS_BOUNDS] = {
    100,           250,           500,           SPAN_MS,      2500,
    5 * SPAN_MS,   10 * SPAN_MS,  25 * SPAN_MS,  50 * SPAN_MS, 100 * SPAN_MS,
    250 * SPAN_MS, 500 * SPAN_MS, SPAN_S,        5 * SPAN_S,   15 * SPAN_S,
    SPAN_MIN,      5 * SPAN_MIN,  15 * SPAN_MIN, SPAN_H,       6 * SPAN_H,
};

int prometheus_bucket(span length)
{
    int i = 0;

    while (i < PROMETHEUS_BOUNDS && length > prometheus_bounds[i])
        i++;
    return i;
}

void prometheus_family(struct answer *out, const char *name, const char *type, const char *help)
{
    answer_reserve(out, LINE_MAX_BYTES);
    buf_printf(&out->buf, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void begin_sample(struct answer *out, const char *name, const char *suffix,
                         const char *labels)
{
    answer_reserve(out, LINE_MAX_BYTES);
    buf_text(&out->buf, name);
    buf_text(&out->buf, suffix);
    if (labels[0] != '\0')
        buf_printf(&out->buf, "{%s}", labels);
    buf_char(&out->buf, ' ');
}

/* Microseconds as seconds, without trailing zeros. */
static void put_seconds(struct buf *out, span value)
{
    int64_t rest = value % SPAN_S;
    int digits = 6;

    if (value < 0) {
        buf_char(out, '-');
        value = -value;
        rest = -rest;
    }
    buf_printf(out, "%" PRId64, value / SPAN_S);
    if (rest == 0)
        return;
    for (; rest % 10 == 0; rest /= 10)
        digits--;
    buf_printf(out, ".%0*" PRId64, digits, rest);
}

void prometheus_int(struct answer *out, const char *name, const char *labels, int64_t value)
{
    begin_sample(out, name, "", labels);
    buf_printf(&out->buf, "%" PRId64 "\n", value);
}

void prometheus_seconds(struct answer *out, const char *name, const char *labels, span value)
{
    begin_sample(out, name, "", labels);
    put_seconds(&out->buf, value);
    buf_char(&out->buf, '\n');
}

void prometheus_print(struct answer *out, const char *name, const char *labels,
                      const struct prometheus_histogram *histogram)
{
    const char *comma = labels[0] == '\0' ? "" : ",";
    int64_t count = 0;

    for (int i = 0; i <= PROMETHEUS_BOUNDS; i++) {
        count += histogram->counts[i];
        answer_reserve(out, LINE_MAX_BYTES);
        buf_printf(&out->buf, "%s_bucket{%s%sle=\"", name, labels, comma);
        if (i < PROMETHEUS_BOUNDS)
            put_seconds(&out->buf, prometheus_bounds[i]);
        else
            buf_text(&out->buf, "+Inf");
        buf_printf(&out->buf, "\"} %" PRId64 "\n", count);
    }
    begin_sample(out, name, "_sum", labels);
    put_seconds(&out->buf, histogram->sum);
    buf_char(&out->buf, '\n');
    begin_sample(out, name, "_count", labels);
    buf_printf(&out->buf, "%" PRId64 "\n", count);
}

void prometheus_one(struct answer *out, const char *name, const char *type, const char *help,
                    int64_t value)
{
    prometheus_family(out, name, type, help);
    prometheus_int(out, name, "", value);
}

void prometheus_label(struct buf *out, const char *name, struct str value)
{
    buf_printf(out, "%s=\"", name);
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];

        if (c == '\\' || c == '"')
            buf_char(out, '\\');
        if (c == '\n')
            buf_text(out, "\\n");
        else
            buf_char(out, c);
    }
    buf_char(out, '"');
}
