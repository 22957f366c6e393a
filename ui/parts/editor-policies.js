/* SPDX-License-Identifier: Apache-2.0 */
/* How runs are started, retried and kept: policies and governor in the form. */
import { html } from "../lib/html.js";
import { getIn, isPlain } from "./editor-doc.js";
import { CheckRow, ChoiceRow, ReadOnly, Rest, TextRow } from "./editor-fields.js";
import { BACKOFF, CATCHUP, DELIVERY, GATE_UNTIL, OVERLAP, WHEN_FULL } from "./editor-words.js";
import { Section, countSet, hasError } from "./editor-spec.js";

/** @typedef {import("./editor-fields.js").Form} Form */

const P = ["policies"];

/**
 * The members of an object, if the document has an object there.
 * @param {{form: Form, path: import("./editor-doc.js").Path, known: string[], children?: any}} props
 */
function Part({ form, path, known, children }) {
    const value = getIn(form.doc, path) ?? {};
    if (!isPlain(value)) return html`<${ReadOnly} name=${path.join(".")} value=${value} />`;
    return html`${children}<${Rest} value=${value} known=${known} />`;
}

/** @param {{form: Form}} props */
function Overlap({ form }) {
    return html`<div class="grid2 tight">
            <${ChoiceRow}
                form=${form}
                path=${[...P, "overlap"]}
                label="If a run is still open"
                choices=${OVERLAP}
            />
            <${TextRow}
                form=${form}
                path=${[...P, "bufferLimit"]}
                label="Starts that may wait"
                placeholder="1000"
                number
            />
        </div>
        <${Part}
            form=${form}
            path=${[...P, "catchup"]}
            known=${["mode", "window", "whilePaused", "whenFull"]}
        >
            <div class="grid2 tight">
                <${ChoiceRow}
                    form=${form}
                    path=${[...P, "catchup", "mode"]}
                    label="If slots were missed (catch-up)"
                    choices=${CATCHUP}
                />
                <${TextRow}
                    form=${form}
                    path=${[...P, "catchup", "window"]}
                    label="Catch-up window"
                    placeholder="no limit"
                    hint="Slots that are later than this are missed."
                />
                <${CheckRow}
                    form=${form}
                    path=${[...P, "catchup", "whilePaused"]}
                    label="Catch up slots of a pause, too"
                />
                <${ChoiceRow}
                    form=${form}
                    path=${[...P, "catchup", "whenFull"]}
                    label="If no more starts may wait"
                    choices=${WHEN_FULL}
                />
            </div>
        <//>`;
}

/** @param {{form: Form}} props */
function Retry({ form }) {
    const retry = [...P, "retry"];
    return html`<${Part}
            form=${form}
            path=${retry}
            known=${["attempts", "backoff", "delay", "max", "jitter"]}
        >
            <div class="grid3 tight">
                <${TextRow}
                    form=${form}
                    path=${[...retry, "attempts"]}
                    label="Attempts"
                    placeholder="1"
                    number
                    hint="Including the first."
                />
                <${ChoiceRow}
                    form=${form}
                    path=${[...retry, "backoff"]}
                    label="Wait between attempts"
                    choices=${BACKOFF}
                />
                <${TextRow} form=${form} path=${[...retry, "delay"]} label="First wait" placeholder="1s" />
                <${TextRow} form=${form} path=${[...retry, "max"]} label="Longest wait" placeholder="1h" />
                <${TextRow}
                    form=${form}
                    path=${[...retry, "jitter"]}
                    label="Jitter of the wait"
                    placeholder="0s"
                />
            </div>
        <//>
        <div class="grid3 tight">
            <${TextRow}
                form=${form}
                path=${[...P, "timeout"]}
                label="Time limit of an attempt"
                placeholder="none"
            />
            <${TextRow}
                form=${form}
                path=${[...P, "maxRunTime"]}
                label="Time limit of a run"
                placeholder="24h; workflow: none"
            />
            <${TextRow}
                form=${form}
                path=${[...P, "startWithin"]}
                label="Must begin within"
                placeholder="no limit"
            />
        </div>
        <${ChoiceRow}
            form=${form}
            path=${[...P, "delivery"]}
            label="If an attempt is lost"
            choices=${DELIVERY}
        />
        <${Part} form=${form} path=${[...P, "lease"]} known=${["for", "heartbeat", "grace"]}>
            <div class="grid3 tight">
                <${TextRow}
                    form=${form}
                    path=${[...P, "lease", "for"]}
                    label="Lease"
                    placeholder="server's default"
                    hint="How long a worker may be silent."
                />
                <${TextRow}
                    form=${form}
                    path=${[...P, "lease", "heartbeat"]}
                    label="Heartbeat"
                    placeholder="server's default"
                />
                <${TextRow}
                    form=${form}
                    path=${[...P, "lease", "grace"]}
                    label="Grace"
                    placeholder="server's default"
                />
            </div>
        <//>`;
}

/** @param {{form: Form}} props */
function Gate({ form }) {
    const path = [...P, "concurrency"];
    const value = getIn(form.doc, path) ?? null;
    if (value !== null && !isPlain(value))
        return html`<${ReadOnly} name="policies.concurrency" value=${value} />`;
    return html`<div class="stack-small">
        <label class="check">
            <input
                type="checkbox"
                data-field="policies.concurrency"
                checked=${value !== null}
                onChange=${(/** @type {any} */ event) =>
                    form.set(path, event.target.checked ? { key: "", limit: 1 } : undefined)}
            />
            Limit how many runs work at the same time (gate)
        </label>
        ${value === null
            ? null
            : html`<div class="grid3 tight">
                      <${TextRow}
                          form=${form}
                          path=${[...path, "key"]}
                          label="Gate"
                          hint="Schedules with the same gate share its limit."
                          keepEmpty
                      />
                      <${TextRow} form=${form} path=${[...path, "limit"]} label="Limit" number keepEmpty />
                      <${ChoiceRow}
                          form=${form}
                          path=${[...path, "until"]}
                          label="A run occupies it until"
                          choices=${GATE_UNTIL}
                      />
                  </div>
                  <${Rest} value=${value} known=${["key", "limit", "until"]} />`}
    </div>`;
}

/** @param {{form: Form}} props */
function Order({ form }) {
    return html`<div class="grid3 tight">
            <${TextRow}
                form=${form}
                path=${[...P, "priority"]}
                label="Priority"
                placeholder="5"
                number
                hint="1 to 10; higher first. One step equals five minutes of waiting."
            />
            <${TextRow}
                form=${form}
                path=${[...P, "latenessBudget"]}
                label="Lateness budget"
                placeholder="none"
                hint="A later run counts as late."
            />
            <${TextRow}
                form=${form}
                path=${[...P, "remainingRuns"]}
                label="Remaining runs"
                placeholder="no limit"
                number
                hint="Then the schedule has no more slots."
            />
        </div>
        <${CheckRow}
            form=${form}
            path=${[...P, "approval"]}
            label="Each run waits until someone approves it"
        />
        <${CheckRow}
            form=${form}
            path=${[...P, "pauseOnFailure"]}
            label="Pause the schedule when a run fails"
        />
        <${CheckRow}
            form=${form}
            path=${[...P, "lastResult"]}
            label="Runs get the result of the previous run"
        />
        <${Gate} form=${form} />`;
}

/** @param {{form: Form}} props */
function Keeping({ form }) {
    return html`<${Part} form=${form} path=${[...P, "retention"]} known=${["age", "count"]}>
        <div class="grid3 tight">
            <${TextRow}
                form=${form}
                path=${[...P, "retention", "age"]}
                label="Keep history for"
                placeholder="90d"
            />
            <${TextRow}
                form=${form}
                path=${[...P, "retention", "count"]}
                label="Attempts to keep"
                placeholder="all"
                number
            />
            <${TextRow}
                form=${form}
                path=${[...P, "idleClose"]}
                label="Close when idle for"
                placeholder="never"
            />
        </div>
    <//>`;
}

const POLICIES_KNOWN = [
    "overlap",
    "bufferLimit",
    "catchup",
    "pauseOnFailure",
    "remainingRuns",
    "startWithin",
    "retry",
    "timeout",
    "maxRunTime",
    "lease",
    "priority",
    "concurrency",
    "approval",
    "delivery",
    "latenessBudget",
    "retention",
    "lastResult",
    "idleClose",
];

/** @type {Array<[string, any, string[]]>} */
const GROUPS = [
    ["Overlap and catch-up", Overlap, ["overlap", "bufferLimit", "catchup"]],
    [
        "Retries, time limits, lease",
        Retry,
        ["retry", "timeout", "maxRunTime", "startWithin", "delivery", "lease"],
    ],
    [
        "Priority, concurrency, approval, lateness",
        Order,
        [
            "priority",
            "latenessBudget",
            "remainingRuns",
            "approval",
            "pauseOnFailure",
            "lastResult",
            "concurrency",
        ],
    ],
    ["Retention", Keeping, ["retention", "idleClose"]],
];

/** @param {{form: Form}} props */
export function PoliciesForm({ form }) {
    const policies = getIn(form.doc, P) ?? {};
    if (!isPlain(policies)) return html`<${ReadOnly} name="policies" value=${policies} />`;
    return html`<div class="form">
        ${GROUPS.map(
            ([title, Body, names], i) =>
                html`<${Section}
                    key=${title}
                    title=${title}
                    count=${countSet(form, P, names)}
                    open=${i === 0 || hasError(form, P, names)}
                >
                    <${Body} form=${form} />
                <//>`,
        )}
        <${Rest} value=${policies} known=${POLICIES_KNOWN} />
    </div>`;
}

/** @param {{form: Form}} props */
export function GovernorForm({ form }) {
    const path = ["governor"];
    const value = getIn(form.doc, path) ?? null;
    if (value !== null && !isPlain(value)) return html`<${ReadOnly} name="governor" value=${value} />`;
    return html`<div class="form">
        <label class="check">
            <input
                type="checkbox"
                data-field="governor"
                checked=${value !== null}
                onChange=${(/** @type {any} */ event) =>
                    form.set(path, event.target.checked ? {} : undefined)}
            />
            Adaptive: hints move the next run within bounds (governor)
        </label>
        ${value === null
            ? null
            : html`<div class="grid2 tight">
                      <${TextRow}
                          form=${form}
                          path=${["governor", "minInterval"]}
                          label="Shortest interval"
                          placeholder="server's minimum"
                      />
                      <${TextRow}
                          form=${form}
                          path=${["governor", "maxInterval"]}
                          label="Longest interval"
                          placeholder="no limit"
                      />
                  </div>
                  <${CheckRow}
                      form=${form}
                      path=${["governor", "backoff"]}
                      label="Failures lengthen the interval"
                      usual
                  />
                  <${Rest} value=${value} known=${["minInterval", "maxInterval", "backoff"]} />`}
    </div>`;
}
