/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays out and prints tables.
 */
#include "cli/frame/table.h"

#include <stdlib.h>

#include "base/must.h"
#include "cli/frame/width.h"

enum { GAP = 2, CELLS_FIRST = 256 };

struct cell {
    char *text;
    size_t len, columns;
    enum tint tint;
};

struct table {
    struct table_column columns[TABLE_COLUMNS_MAX];
    int column_count;
    struct cell *cells;
    size_t count, room;
};

struct table *table_new(const struct table_column *columns, int count)
{
    struct table *table = calloc(1, sizeof *table);

    must(table && count > 0 && count <= TABLE_COLUMNS_MAX);
    memcpy(table->columns, columns, (size_t)count * sizeof *columns);
    table->column_count = count;
    return table;
}

struct table *table_free(struct table *table)
{
    if (!table)
        return NULL;
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i].text);
    free(table->cells);
    free(table);
    return NULL;
}

void table_add(struct table *table, struct str text, enum tint tint)
{
    struct cell cell = {.tint = tint};

    if (table->count == table->room) {
        table->room = table->room > 0 ? 2 * table->room : CELLS_FIRST;
        table->cells = realloc(table->cells, table->room * sizeof *table->cells);
        must(table->cells);
    }
    if (text.len > TABLE_CELL_MAX)
        text.len = width_fit((struct str){text.ptr, TABLE_CELL_MAX}, TABLE_CELL_MAX);
    cell.len = text.len;
    cell.columns = width_columns(text);
    cell.text = malloc(text.len + 1);
    must(cell.text);
    memcpy(cell.text, text.ptr, text.len);
    cell.text[text.len] = '\0';
    table->cells[table->count++] = cell;
}

static int table_rows(const struct table *table)
{
    return (int)(table->count / (size_t)table->column_count);
}

static size_t min_width(const struct table *table, int column)
{
    size_t title = width_columns(str_of(table->columns[column].title));
    size_t min = column == 0 ? TABLE_FIRST_MIN : TABLE_SHRUNK_MIN;

    return title > min ? title : min;
}

/* Shrinks the widest column that may shrink by one; false when none can shrink further. */
static bool shrink_widest(const struct table *table, size_t *widths)
{
    int widest = -1;

    for (int i = 0; i < table->column_count; i++)
        if (table->columns[i].shrinks && widths[i] > min_width(table, i) &&
            (widest < 0 || widths[i] > widths[widest]))
            widest = i;
    if (widest < 0)
        return false;
    widths[widest]--;
    return true;
}

/* The width that each column needs for its cells and title; 0: it has no text. */
static void measure_columns(const struct table *table, size_t *widths)
{
    memset(widths, 0, TABLE_COLUMNS_MAX * sizeof *widths);
    for (size_t i = 0; i < table->count; i++) {
        size_t column = i % (size_t)table->column_count;

        if (table->cells[i].columns > widths[column])
            widths[column] = table->cells[i].columns;
    }
    for (int i = 0; i < table->column_count; i++) {
        size_t title = width_columns(str_of(table->columns[i].title));

        if (widths[i] > 0 && widths[i] < title)
            widths[i] = title;
    }
}

static size_t total_width(const struct table *table, const size_t *widths)
{
    size_t all = 0;

    for (int i = 0; i < table->column_count; i++)
        if (widths[i] > 0)
            all += widths[i] + (all > 0 ? GAP : 0);
    return all;
}

static void fit_widths(const struct table *table, int width, size_t *widths)
{
    for (int shown = table->column_count; shown > 0; shown--) {
        size_t all;

        measure_columns(table, widths);
        for (int i = shown; i < table->column_count; i++)
            widths[i] = 0;
        all = total_width(table, widths);
        while (width > 0 && all > (size_t)width && shrink_widest(table, widths))
            all--;
        if (width == 0 || all <= (size_t)width)
            return;
    }
    measure_columns(table, widths);
    for (int i = 1; i < table->column_count; i++)
        widths[i] = 0;
    while (widths[0] > (size_t)width && widths[0] > 1)
        widths[0]--;
}

static void print_spaces(struct printer *out, size_t count)
{
    printer_printf(out, "%*s", (int)count, "");
}

static void print_cell(struct printer *out, const struct cell *cell, size_t width,
                       const struct table_column *column, bool is_last)
{
    struct str text = {cell->text, cell->len};
    size_t columns = cell->columns;
    bool is_cut = columns > width;

    if (is_cut) {
        text.len = width_fit(text, width - 1);
        columns = width_columns(text) + 1;
    }
    if (column->is_number)
        print_spaces(out, width - columns);
    printer_tint(out, cell->tint);
    printer_safe(out, text);
    if (is_cut)
        printer_text(out, "\u2026");
    printer_tint(out, cell->tint == TINT_NONE ? TINT_NONE : TINT_END);
    if (!column->is_number && !is_last)
        print_spaces(out, width - columns);
}

static void print_row(struct printer *out, const struct table *table, const struct cell *cells,
                      const size_t *widths)
{
    int count = table->column_count;
    bool any = false;

    /* Avoids trailing spaces: empty cells at the end of the row are omitted. */
    while (count > 1 && (cells[count - 1].len == 0 || widths[count - 1] == 0))
        count--;
    for (int i = 0; i < count; i++) {
        if (widths[i] == 0)
            continue;
        if (any)
            print_spaces(out, GAP);
        print_cell(out, &cells[i], widths[i], &table->columns[i], i == count - 1);
        any = true;
    }
    printer_text(out, "\n");
}

void table_print(const struct table *table, struct printer *out, int width)
{
    size_t widths[TABLE_COLUMNS_MAX];
    struct cell titles[TABLE_COLUMNS_MAX];

    if (table_rows(table) == 0)
        return;
    fit_widths(table, width, widths);
    for (int i = 0; i < table->column_count; i++) {
        struct str title = str_of(table->columns[i].title);

        titles[i] = (struct cell){.text = (char *)(uintptr_t)title.ptr,
                                  .len = title.len,
                                  .columns = width_columns(title),
                                  .tint = TINT_FAINT};
    }
    print_row(out, table, titles, widths);
    for (int i = 0; i < table_rows(table); i++)
        print_row(out, table, table->cells + i * table->column_count, widths);
}
