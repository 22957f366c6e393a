/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What openapi.c is made of: the texts of src/api/openapi/, the names that they may use, and
 * how their schemas become those of the document.
 */
#pragma once

#include "base/str.h"
#include "wire/json/json.h"

/* The files, one JSON object each; the first is the document without its paths. */
extern const struct str openapi_texts[];
extern const int openapi_texts_count;

/* "@PRIORITY_MAX" is a number, "@overlap" a list of words, "@reason?" one with null. */
json_t *openapi_term(const char *name);

/*
 * A value of the texts as the document has it: terms filled in, short references made whole.
 * `both` are the schemas that have a form for requests too, by name; where `is_input` they are
 * meant in that one.
 */
json_t *openapi_expand(const json_t *both, const json_t *value, bool is_input);

/* Schemas of objects: what is always there is required, what is not known is refused. */
json_t *openapi_answer_schema(const json_t *both, const json_t *schema);
json_t *openapi_input_schema(const json_t *both, const json_t *schema);
