/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables that allow more than the files of this folder need.
 */
#include "layers.h"

static const struct row rows[] = {
    {"src/top", "low base mid/", "deep base"},
    {"src/low", "*", ""},
    {"src/mid", "", ""},
    {"src/base", "", ""},
};

static const struct header_row header_rows[] = {
    {"stdio.h", "src/top src/low src/top/use.c test"},
    {"stdint.h", "*"},
    {"time.h", "src/top"},
};

int main(int argc, char **argv)
{
    static const struct layer_tables tables = {
        .rows = rows,
        .row_count = sizeof rows / sizeof rows[0],
        .header_rows = header_rows,
        .header_row_count = sizeof header_rows / sizeof header_rows[0],
    };

    return layers_main(&tables, argc, argv);
}
