/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of openapi.c: the JSON texts of src/api/openapi/, the terms that they may use, and
 * the expansion of their schemas.
 */
#pragma once

#include "base/str.h"
#include "wire/json/json.h"

/* The texts of the files, one JSON object each; the first is the document without its paths. */
extern const struct str openapi_texts[];
extern const int openapi_texts_count;

/* "PRIORITY_MAX" is a number, "overlap" a list of words, "reason?" such a list with null. */
json_t *openapi_term(const char *name);

/*
 * Expands the terms and the short references in a value of the texts.  `both` has the schemas
 * that exist for answers and for requests, by name; with `is_input`, references to them mean
 * the form for requests.
 */
json_t *openapi_expand(const json_t *both, const json_t *value, bool is_input);

/*
 * The schema of an object, for answers and for requests.  In answers all members are required
 * except those in "absent"; requests allow no unknown members.
 */
json_t *openapi_answer_schema(const json_t *both, const json_t *schema);
json_t *openapi_input_schema(const json_t *both, const json_t *schema);

/*
 * Schemas with "x-always" have a second form for answers to requests with `fields`, whose name
 * ends in OPENAPI_PART: only the members in "x-always" are required.
 */
#define OPENAPI_PART "Part"

bool openapi_is_selectable(const json_t *schema);
json_t *openapi_part_schema(const json_t *both, const json_t *schema);

bool openapi_has_word(const json_t *list, const char *word);
