/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text to values by hand, since the library looks at each letter of it several times.  Only
 * wire/json/json.c uses it.
 */
#pragma once

#include <jansson.h>

#include "base/str.h"

/*
 * The value that jansson makes of a text of UTF-8, or NULL: the text is wrong, holds a number
 * that is not whole or has more than 18 digits, a letter by its number (\u00e9), a key or a
 * long string with escapes; or it is deeper than JSON_DEPTH_MAX or has more than
 * JSON_VALUES_MAX values.  Then jansson has to say what it is.
 */
json_t *json_parse(struct str text);
