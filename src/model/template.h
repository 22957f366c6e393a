/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of an action with `${name}` in them, filled in for one run.
 *
 * A name is a value of the run, or a path into JSON: ${scheduledTime}, ${input.user.id},
 * ${lastResult.body.items[0]}.  `$${` is the characters `${`.  There is nothing to compute and
 * nothing to choose: what is filled in is never read as a template again.
 */
#pragma once

#include "model/action.h"
#include "model/payload.h"

enum {
    TEMPLATE_NAME_MAX = 255,     /* bytes between the braces                              */
    TEMPLATE_DEPTH_MAX = 16,     /* steps of a path                                       */
    TEMPLATE_BODY_MAX = 1 << 20, /* bytes of a body: its own and a result's, each 256 KiB */
};

/* Every name is known and every brace closed; errors have the byte. */
MUST_USE enum rc template_check(struct str text, struct err *reterr);

/* The texts of an action that may hold templates; errors name the field. */
MUST_USE enum rc template_check_action(const struct action *action, struct err *reterr);

/* Whether an action that was kept as JSON asks for what the run before it left. */
bool template_names_last(struct str action);

/* What is filled in.  JSON is read when it is first asked for. */
struct filling {
    const struct payload *payload;
    json_t *input, *last_result, *last_failure; /* the filling's own */
};

void filling_end(struct filling *filling);

/* Where a text goes. */
struct template_place {
    bool is_url; /* what is filled in is percent-encoded but for letters, digits and -._~ */
    size_t max;  /* bytes of the whole                                                   */
};

/*
 * A string is filled in as its text, other JSON as JSON, what is not there as nothing.
 * RC_LIMIT above place.max; RC_INVALID for a template that is none.
 */
MUST_USE enum rc template_fill(struct filling *filling, struct template_place place,
                               struct str text, struct arena *arena, struct str *ret,
                               struct err *reterr);

/* What is sent: the text of a body that is a string, else JSON. */
struct template_body {
    struct str bytes;
    bool is_text;
};

/*
 * A body of an action, which is JSON.  A string that is one template and nothing else becomes
 * the value itself, null when it is not there; all others are filled in as texts.
 */
MUST_USE enum rc template_fill_body(struct filling *filling, struct str body,
                                    struct arena *arena, struct template_body *ret,
                                    struct err *reterr);
