/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of #include lines against tables of layers; check_layers.c holds the tables.
 */
#pragma once

/*
 * A word of a list names the files directly in one folder ("core", "core/time"); with a slash
 * at its end ("core/") the folder and all below it; with .h at its end one header.
 */
struct row {
    const char *place;   /* a folder or a file, in this notation; files take precedence */
    const char *may;     /* what it may include; "*" for everything                     */
    const char *through; /* what it may only reach through headers of others            */
};

/* Where the header of a library may be included. */
struct header_row {
    const char *header; /* as in the shell: sys/?*.h */
    const char *places; /* folders and files; "*" for all */
};

struct layer_tables {
    const struct row *rows;
    int row_count;
    const struct header_row *header_rows;
    int header_row_count;
};

/* The main() of a check with the arguments [--whole] ROOT. */
int layers_main(const struct layer_tables *tables, int argc, char **argv);
