/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves the schedules of a running server to Belfry: reads them, creates them paused, compares
 * their next times, and with --take-over pauses them there and resumes them here
 * (docs/decisions/0055-import-from-running-servers.md).
 *
 * The state of a move is on the two servers, so the command can be repeated at any time.
 * move.c has the phases and move_here.c the calls of Belfry; from_temporal.c and
 * from_conductor.c are the sources.
 */
#pragma once

#include "cli/frame/progress.h"
#include "cli/import/handover.h"
#include "cli/import/rest_batch.h"
#include "cli/import/rpc_batch.h"
#include "cli/remote/remote.h"

enum {
    MOVE_GROUP = 256,        /* schedules at a time; also the maximum that is between servers */
    MOVE_IDS_MAX = 10000000, /* schedules of a source; more than any Belfry server holds */
    MOVE_TEXT_MAX = 500,
    MOVE_STARTED_MAX = 20, /* newest starts that a source shows; Temporal shows 10 */
};

enum move_result {
    MOVE_PREVIEWED,    /* --dry-run: it would be created                        */
    MOVE_CREATED,      /* paused                                                */
    MOVE_WAITING,      /* an earlier import created it; it is still paused      */
    MOVE_TAKEN,        /* paused there, resumed here                            */
    MOVE_TAKEN_BEFORE, /* by an earlier import                                  */
    MOVE_STAYS_PAUSED, /* its owner has paused it there, so there is no slot    */
    MOVE_DIFFERENT,    /* the times differ, so it was not taken over            */
    MOVE_EXISTS,       /* another schedule here has the id, or the source's changed */
    MOVE_INVALID,      /* Belfry cannot do what the schedule does                */
    MOVE_FAILED,       /* a server did not answer, or refused                   */
    MOVE_RESULTS
};

enum move_here { HERE_ABSENT, HERE_WAITS, HERE_RUNS, HERE_OTHER };

struct move_times {
    instant at[HANDOVER_TIMES];
    int count;
    bool is_known;
    bool is_cut; /* there may be more */
};

/* One schedule. */
struct moved {
    struct str id;
    bool is_done; /* no further phase: `result` is final */
    enum move_result result;
    char text[MOVE_TEXT_MAX]; /* the reason of the result, or a note; "": none */

    /* there */
    void *document; /* the source's */
    uint64_t print; /* of what is imported, without its state */
    bool is_paused; /* there */
    bool is_left;   /* there, by a take-over: `bound` is valid */
    instant bound;
    struct str note; /* its former note */
    span jitter;
    bool has_ended; /* no action remains */

    /* here */
    enum move_here here;
    bool is_created; /* by this command */

    bool wants_pause; /* in the current phase */
    instant last;     /* the last slot that the source keeps; INSTANT_NONE: unknown */
    struct move_times times_there, times_here;
    bool is_equal;
};

struct move;

/* The functions set is_done and result of schedules that fail, and skip those that have it. */
struct move_source {
    const char *name;    /* "Temporal" */
    const char *dialect; /* as in the state of Belfry's schedules */
    span settle;         /* after a pause, starts may appear this late */

    /* Calls move_add_id() for each schedule; an exit status. */
    int (*list)(struct move *move);
    /* Reads them from the source. */
    void (*read)(struct move *move, struct moved *list, int count);
    /* The spec of a schedule for Belfry's preview; NULL: it cannot be expressed. */
    json_t *(*spec)(struct move *move, const struct moved *one, struct err *reterr);
    void (*create)(struct move *move, struct moved *list, int count);
    void (*read_times)(struct move *move, struct moved *list, int count);
    /* Sets `bound` and pauses those with wants_pause. */
    void (*pause)(struct move *move, struct moved *list, int count);
    /* Sets `last` of those with is_left, by what the source has started. */
    void (*read_last)(struct move *move, struct moved *list, int count);
    /* Called before the resume; NULL: nothing to do. */
    void (*prepare)(struct move *move, struct moved *list, int count);
    /* Frees the document; NULL: it is in the arena. */
    void (*forget)(struct moved *one);
};

struct move {
    const struct move_source *source;
    void *state; /* the source's */
    struct rest_batch *here;
    struct remote *remote; /* for output */
    struct arena *arena;   /* of the current group */
    struct arena *ids_arena;
    struct str *ids;
    int id_count, id_room;
    bool is_dry, takes_over, accepts_differences;
    instant now; /* from which the next times are listed */
    int counts[MOVE_RESULTS];
    enum output output;
    struct printer out;
    json_t *json;
    struct progress progress;
};

void move_add_id(struct move *move, struct str id);

/* Ends the work on a schedule. */
void moved_end(struct moved *one, enum move_result result, const char *fmt, ...) PRINTF(3, 4);

/* Reads a note of the source into `note`, `is_left` and `bound`. */
void moved_read_note(struct moved *one, struct str note, bool is_paused);

/* Runs the move; an exit status. */
int move_run(struct move *move);

/* move_here.c */
void move_here_read(struct move *move, struct moved *list, int count);
/* Sets the next times of schedules that do not exist here. */
void move_here_preview(struct move *move, struct moved *list, int count);
void move_here_resume(struct move *move, struct moved *list, int count);

/* move_print.c */
void move_print(struct move *move, const struct moved *one);
int move_print_summary(struct move *move);
