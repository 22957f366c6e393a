/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between a whole schedule and the native JSON: what users send and what is stored.
 *
 * Reading checks every field; model/schedule_draft.h turns the result into the engine's form.
 * The model does not know the structs of store and engine.
 */
#pragma once

#include "core/policy/policies.h"
#include "model/action_json.h"
#include "model/governor_json.h"
#include "model/member.h"
#include "model/pairs.h"

enum {
    SCHEDULE_ID_MAX = 977,     /* bytes, as in Temporal: 1,000 without its own prefix */
    NAMESPACE_NAME_MAX = 1000, /* bytes, as in Temporal */
    DESCRIPTION_MAX = 4096,    /* bytes: a page for display, read with every list */
    LABELS_MAX = 64,           /* per schedule: for filters, not for data */
    LABEL_NAME_MAX = 128,
    LABEL_VALUE_MAX = 512,
    REASON_TEXT_MAX = 1000,         /* bytes, of a pause: a sentence or two for display */
    EXTRA_MAX = WORKFLOW_INPUT_MAX, /* bytes of JSON: a dialect's own fields, such as a memo */
    /*
     * Arena bytes for reading and compiling any document.  Reading the spec takes at most
     * SPEC_DEF_BYTES_MAX, and so does compiling it; JSON_BYTES_MAX bounds the rest.
     */
    SCHEDULE_BYTES_MAX = 64 << 20,
};

/* The pause that a document asks for. */
struct pause_def {
    bool is_said; /* false: an existing schedule is not changed; a new one is not paused */
    bool is_paused;
    instant until; /* INSTANT_NEVER: no end */
    struct str reason;
};

struct schedule_doc {
    struct str id; /* empty: Belfry generates one */
    struct str namespace, description;
    struct pairs labels;
    bool is_enabled;
    struct pause_def pause;
    struct spec_def spec;
    struct action action;
    struct policies policies;
    struct governor_def governor;
    struct str extra; /* JSON of an object; empty: {} */
};

struct schedule_doc schedule_doc_default(void);

/* The default policies for an action: `all`, but without a maximum run time for a workflow. */
struct policies schedule_policies(const struct policies *all, const struct action *action);

/*
 * Everything that *ret points to is in `arena`.  Errors name the field as seen from the
 * document, `policies.retry.attempts`.  "state" is always ignored.  Lenient reading ignores
 * unknown fields except in the spec; specs of other dialects have their own codecs.
 */
MUST_USE enum rc schedule_from_json(const json_t *json, struct arena *arena, bool is_lenient,
                                    struct schedule_doc *ret, struct err *reterr);

/* The same from text, parsed by json_read(). */
MUST_USE enum rc schedule_from_text(struct str text, struct arena *arena, bool is_lenient,
                                    struct schedule_doc *ret, struct err *reterr);

/*
 * Checks that a document that a dialect's codec built is within all limits that reading checks.
 * Uses `arena`.
 */
MUST_USE enum rc schedule_check(const struct schedule_doc *doc, struct arena *arena,
                                struct err *reterr);

/* The caller owns the result.  For display use model/schedule_show.h. */
json_t *schedule_to_json(const struct schedule_doc *doc, enum spec_form form);

/* The parts that are stored in separate columns, as JSON or empty. */
struct schedule_texts {
    struct str spec, action, policies;
    struct str governor, labels, extra;
};

/*
 * Brief forms, in `arena`; the governor without its hint.  RC_LIMIT if the action is longer
 * than ACTION_BYTES_MAX or WORKFLOW_BYTES_MAX.
 */
MUST_USE enum rc schedule_keep(const struct schedule_doc *doc, struct arena *arena,
                               struct schedule_texts *ret, struct err *reterr);

/* The text of a spec alone. */
MUST_USE enum rc schedule_keep_spec(const struct spec_def *def, struct arena *arena,
                                    struct str *ret, struct err *reterr);

/*
 * Reads stored texts into the parts of *doc that they cover; the caller fills in the rest.
 * Ignores unknown fields, except in the spec, because a later version may have added them.
 * RC_CORRUPT if the texts cannot have been stored by Belfry.
 */
MUST_USE enum rc schedule_recall(const struct schedule_texts *texts, struct arena *arena,
                                 struct schedule_doc *doc, struct err *reterr);
