/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole schedule ↔ the native JSON: what people send, and what is kept.
 *
 * Reading checks every field; model/schedule_draft.h turns the result into what the engine
 * takes.  The store's and engine's structs are not known here.
 */
#pragma once

#include "core/policy/policies.h"
#include "model/action_json.h"
#include "model/governor_json.h"
#include "model/member.h"

enum {
    SCHEDULE_ID_MAX = 255,  /* bytes of a schedule's or namespace's name: two are a seed */
    DESCRIPTION_MAX = 4096, /* bytes: a page for people, read with every list            */
    LABELS_MAX = 64,        /* of one schedule: they sort, they do not store             */
    LABEL_NAME_MAX = 128,
    LABEL_VALUE_MAX = 512,
    REASON_TEXT_MAX = 1000, /* bytes, of a pause: a sentence or two for people           */
    EXTRA_MAX = 64 * 1024,  /* bytes of JSON: a dialect's own fields                       */
    SCHEDULE_BYTES_MAX = 64 << 20, /* of arena, for reading and compiling any document: the */
    /* spec takes SPEC_DEF_BYTES_MAX for each, the rest is bounded by JSON_BYTES_MAX      */
};

/* What a document says of a pause. */
struct pause_def {
    bool is_said; /* false: a schedule that is there stays as it is; a new one is not paused */
    bool is_paused;
    instant until; /* INSTANT_NEVER: for good */
    struct str reason;
};

struct schedule_doc {
    struct str id; /* empty: to be made */
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

/*
 * Everything that *ret points to is in `arena`.  Errors name the field as seen from the
 * document, `policies.retry.attempts`.  "state" is ignored, whatever it says.  Lenient
 * reading ignores unknown fields but for those of the spec, whose other dialects have
 * codecs of their own.
 */
MUST_USE enum rc schedule_from_json(const json_t *json, struct arena *arena, bool is_lenient,
                                    struct schedule_doc *ret, struct err *reterr);

/* The same from text, with wire/json/json.h's strictness. */
MUST_USE enum rc schedule_from_text(struct str text, struct arena *arena, bool is_lenient,
                                    struct schedule_doc *ret, struct err *reterr);

/*
 * Whether a document that was put together by another dialect's codec is one that reading
 * gives: within every range and bound.  Uses `arena`.
 */
MUST_USE enum rc schedule_check(const struct schedule_doc *doc, struct arena *arena,
                                struct err *reterr);

/* The caller owns the result.  What people are shown is model/schedule_show.h's. */
json_t *schedule_to_json(const struct schedule_doc *doc, enum spec_form form);

/* The parts that are kept in columns of their own, as JSON or empty. */
struct schedule_texts {
    struct str spec, action, policies;
    struct str governor, labels, extra;
};

/*
 * Brief forms, in `arena`; a governor without its hint.  RC_LIMIT when the action is longer
 * than ACTION_BYTES_MAX.
 */
MUST_USE enum rc schedule_keep(const struct schedule_doc *doc, struct arena *arena,
                               struct schedule_texts *ret, struct err *reterr);

/*
 * What was kept, into the parts of *doc that it covers; the rest is the caller's.  Read
 * leniently, so that a column may hold what a later version added.  RC_CORRUPT when it cannot
 * have been kept.
 */
MUST_USE enum rc schedule_recall(const struct schedule_texts *texts, struct arena *arena,
                                 struct schedule_doc *doc, struct err *reterr);
