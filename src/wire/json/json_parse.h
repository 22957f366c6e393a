/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fast parser for common JSON text, since jansson visits each letter several times.  Only
 * wire/json/json.c uses it.
 */
#pragma once

#include <jansson.h>

#include "base/str.h"

/*
 * Returns the value that jansson would make of a UTF-8 text, or NULL if the text is invalid or
 * contains one of these: a number that is not an integer or has more than 18 digits, a \u
 * escape, a key or a long string with escapes, more depth than JSON_DEPTH_MAX, more values than
 * JSON_VALUES_MAX.  Then jansson must parse it.
 */
json_t *json_parse(struct str text);
