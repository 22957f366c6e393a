/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of an action with `${name}` in them, filled in for one run.
 *
 * A name is a value of the run or a path into JSON: ${scheduledTime}, ${input.user.id},
 * ${lastResult.body.items[0]}.  `$${` stands for the characters `${`.  There are no expressions
 * or conditions, and filled-in values are never parsed as templates again.
 */
#pragma once

#include "model/action.h"
#include "model/payload.h"

enum {
    TEMPLATE_NAME_MAX = 255,     /* bytes between the braces */
    TEMPLATE_DEPTH_MAX = 16,     /* steps of a path */
    TEMPLATE_BODY_MAX = 1 << 20, /* bytes of a body, which may include a result of 256 KiB */
};

/* Checks that every name is valid and every brace closed; errors give the byte. */
MUST_USE enum rc template_check(struct str text, struct err *reterr);

/* Checks the texts of an action that may contain templates; errors name the field. */
MUST_USE enum rc template_check_action(const struct action *action, struct err *reterr);

/* Whether a text of a stored action contains `{{`: a template of another program. */
bool template_is_foreign(struct str action);

/* Whether a stored action uses the result or failure of the previous run. */
bool template_names_last(struct str action);

/* The values of a run.  JSON is parsed on first use. */
struct filling {
    const struct payload *payload;
    json_t *input, *last_result, *last_failure; /* owned by this struct */
};

void filling_end(struct filling *filling);

/* What the use of a text requires. */
struct template_place {
    bool is_url; /* percent-encode values except letters, digits and -._~ */
    size_t max;  /* maximum bytes of the whole text */
};

/*
 * A string is inserted as its text, other JSON as JSON, a missing value as nothing.  RC_LIMIT
 * above place.max; RC_INVALID for an invalid template.
 */
MUST_USE enum rc template_fill(struct filling *filling, struct template_place place,
                               struct str text, struct arena *arena, struct str *ret,
                               struct err *reterr);

/* What is sent: the text of a body that is a string, otherwise JSON. */
struct template_body {
    struct str bytes;
    bool is_text;
};

/*
 * Fills in the JSON body of an action.  A string that is exactly one template becomes the value
 * itself, null if it is missing; all other strings are filled in as texts.
 */
MUST_USE enum rc template_fill_body(struct filling *filling, struct str body,
                                    struct arena *arena, struct template_body *ret,
                                    struct err *reterr);
