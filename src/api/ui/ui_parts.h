/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of the web page in the program: script/embed_ui generates the tables from the list
 * in ui/meson.build.  Other files do not include it.
 */
#pragma once

#include <stddef.h>

#include "base/str.h"

struct ui_file {
    const char *name; /* below ui/, such as "lib/api.js" */
    size_t size;      /* before the compression          */
};

extern const struct ui_file ui_files[];
extern const struct str ui_gzipped[]; /* their bytes, in the same order */
extern const int ui_gzipped_count;    /* of both                        */
extern const char ui_set[];           /* hash over all files            */
