/* SPDX-License-Identifier: Apache-2.0 */
/* What the choices of a schedule mean, one sentence each: for the form and for reading. */

/** @typedef {Array<[value: string, name: string, sentence: string]>} Choices */

/** @type {Choices} */
export const OVERLAP = [
    ["skip", "skip", "A start is skipped while a run is open."],
    ["bufferOne", "buffer one", "One start waits for the open run; further starts are skipped."],
    ["bufferAll", "buffer all", "Starts wait for the open run, in order."],
    ["cancelOther", "cancel other", "The open run is asked to stop; the new run starts when it has ended."],
    ["terminateOther", "terminate other", "The open run is ended; the new run starts then."],
    ["allowAll", "allow all", "Runs start at once, however many are open."],
];

/** @type {Choices} */
export const CATCHUP = [
    ["latest", "latest", "Of several late slots the last one starts; the others are missed."],
    ["oldest", "oldest", "Of several late slots the first one starts; the others are missed."],
    ["all", "all", "Every late slot starts, oldest first."],
    ["none", "none", "A late slot starts only if it is at most 30 s late."],
];

/** @type {Choices} */
export const WHEN_FULL = [
    ["wait", "wait", "A slot waits for room if the buffer is full."],
    ["drop", "drop", "A slot is dropped if the buffer is full."],
];

/** @type {Choices} */
export const DELIVERY = [
    ["atLeastOnce", "at least once", "A lost attempt is repeated: a run may do its work twice."],
    ["atMostOnce", "at most once", "A lost attempt is not repeated: the run ends as unknown."],
];

/** @type {Choices} */
export const BACKOFF = [
    ["exponential", "exponential", "The wait doubles with each attempt."],
    ["fixed", "fixed", "The wait is the same after each attempt."],
];

/** @type {Choices} */
export const ANCHOR = [
    ["epoch", "1970 (epoch)", "Slots are multiples of the interval since 1970."],
    ["midnight", "local midnight", "Each local day begins again at midnight."],
    ["start", "last start", "The interval counts from the last slot that has a run."],
    ["completion", "last end", "The interval counts from the last end of a run."],
];

/** @type {Choices} */
export const DST = [
    ["vixie", "vixie", "Daily times run once on each day; periodic times continue without a pause."],
    ["literal", "literal", "Times that do not exist are left out; times that come twice run twice."],
    ["once", "once", "Times that do not exist are left out; times that come twice run the first time."],
    ["last", "last", "Times that do not exist are left out; times that come twice run the second time."],
    ["shift", "shift", "Times that do not exist move forward; times that come twice run the first time."],
];

/** @type {Choices} */
export const GAP = [
    ["skip", "skip", "A time that does not exist is left out."],
    ["next", "next", "It runs once, at the end of the gap."],
    ["shift", "shift", "It moves forward by the length of the gap."],
];

/** @type {Choices} */
export const FOLD = [
    ["first", "first", "A time that comes twice runs the first time."],
    ["last", "last", "It runs the second time."],
    ["both", "both", "It runs both times."],
];

/** @type {Choices} */
export const WINDOW_RULE = [
    ["clamp", "clamp", "Slots outside move to the start of the window."],
    ["filter", "filter", "Slots outside are dropped."],
];

/** @type {Choices} */
export const SHIFT = [
    ["none", "none", "Slots of an excluded day are dropped."],
    ["next", "next day", "They move to the next day that is not excluded."],
    ["previous", "previous day", "They move to the previous day that is not excluded."],
];

/** @type {Choices} */
export const GATE_UNTIL = [
    ["ended", "it ends", "A run leaves the gate when it ends."],
    [
        "started",
        "the workflow has started",
        "A run leaves the gate when the upstream has started its workflow.",
    ],
];

/** @type {Choices} */
export const DIALECTS = [
    "belfry",
    "posix",
    "vixie",
    "cronie",
    "robfig",
    "robfig-seconds",
    "k8s",
    "github",
    "cloudscheduler",
    "spring",
    "quartz",
    "aws",
    "jenkins",
    "temporal",
    "systemd",
    "rrule",
].map((name) => [name, name, ""]);

/** @type {Choices} */
export const ACTIONS = [
    ["http", "Call a URL", "The server sends an HTTP request."],
    ["queue", "Wait in a queue", "A worker claims the run from a queue."],
    ["exec", "Run a program", "A node of the server runs a program, if its configuration allows it."],
    [
        "workflow",
        "Start a workflow",
        "An upstream starts a workflow; without an upstream, a worker claims it.",
    ],
];

/** @param {Choices} choices @param {string | null | undefined} value */
export function sentenceOf(choices, value) {
    return choices.find(([name]) => name === (value ?? choices[0][0]))?.[2] ?? String(value);
}
