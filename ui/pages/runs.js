/* SPDX-License-Identifier: Apache-2.0 */
/* All runs, newest first: filters, live changes, cancel, retry, and approval of many at once. */
import { html, useState } from "../lib/html.js";
import { query, setQuery } from "../lib/router.js";
import { useNow, Badge, Empty, Head, Link, Problem, Time } from "../parts/basic.js";
import { number, plural } from "../lib/words.js";
import { may } from "../parts/login.js";
import { useMedia } from "../parts/media.js";
import { BulkDialog, RunActions } from "../parts/run-actions.js";
import { RunFilters, filterOf } from "../parts/run-filters.js";
import { useRuns } from "../parts/run-list.js";
import { Duration, Lateness, stateName } from "../parts/run-words.js";
import { VirtualList } from "../parts/vlist.js";

const ROW = 46;
const ROW_NARROW = 92;
const ROW_PHONE = 116;

/** Nominal, due and actual times apart; equal ones are said once. @param {{run: any}} props */
function Times({ run }) {
    return html`<span role="cell" class="run-slot"
            ><span class="run-label">slot </span><${Time} at=${run.slot}
        /></span>
        <span role="cell" class="run-due"
            ><span class="run-label">due </span>${run.due === run.slot
                ? html`<span class="faint" title="Due at the slot">at slot</span>`
                : html`<${Time} at=${run.due} />`}</span
        >
        <span role="cell" class="run-start"
            ><span class="run-label">start </span><${Time} at=${run.startedAt} none="not yet"
        /></span>`;
}

/** @param {{run: any, at: number, choice: null | {has: boolean, set: (on: boolean) => void}}} props */
function Row({ run, at, choice }) {
    const name = run.schedule ?? "no schedule";
    return html`<div class="vrow run-row" role="row" key=${run.id}>
        <span role="cell" class="run-check">
            ${choice
                ? html`<input
                      type="checkbox"
                      aria-label="Choose run of ${name}"
                      checked=${choice.has}
                      disabled=${run.state !== "approval"}
                      onChange=${(/** @type {any} */ event) => choice.set(event.target.checked)}
                  />`
                : null}
        </span>
        <span role="cell" class="run-state"
            ><${Badge} of=${stateName(run)} reason=${run.outcome ? run.reason : null}
        /></span>
        <span role="cell" class="run-name clip">
            <${Link} to=${["run", run.id]}>${name}<//>
            ${run.kind !== "slot" ? html` <span class="faint small">${run.kind}</span>` : null}
            ${run.error
                ? html` <span class="faint small" title=${run.error.message}>${run.error.message}</span>`
                : null}
        </span>
        <${Times} run=${run} />
        <span role="cell" class="run-late"
            ><span class="run-label">late </span><${Lateness} run=${run} at=${at}
        /></span>
        <span role="cell" class="run-took"
            ><span class="run-label">took </span><${Duration} run=${run} at=${at}
        /></span>
        <span role="cell" class="run-try num"
            ><span class="run-label">attempt </span>${run.attempt || "–"}</span
        >
        <span role="cell" class="run-where clip" title="${run.queue ?? ""} ${run.worker ?? ""}"
            >${run.queue ?? ""}${run.worker ? html` <span class="faint">${run.worker}</span>` : null}</span
        >
        <span role="cell" class="run-buttons"><${RunActions} run=${run} small /></span>
    </div>`;
}

function HeadRow() {
    const names = ["", "State", "Run of", "Slot", "Due", "Started", "Late", "Took", "Attempt", "Where", ""];
    const classes = [
        "check",
        "state",
        "name",
        "slot",
        "due",
        "start",
        "late",
        "took",
        "try",
        "where",
        "buttons",
    ];
    return html`<div class="vrow vhead run-row run-head" role="row">
        ${names.map(
            (name, i) =>
                html`<span role="columnheader" class="run-${classes[i]}"
                    >${name || html`<span class="hidden">${i === 0 ? "Choose" : "Actions"}</span>`}</span
                >`,
        )}
    </div>`;
}

/** @param {number} fresh */
const newText = (fresh) =>
    `${fresh >= 100 ? "100 or more" : number(fresh)} new ${fresh === 1 ? "run" : "runs"}: show`;

/**
 * The bar above the list: new runs, chosen runs.
 * @param {{list: any, chosen: Set<string>, setChosen: (ids: Set<string>) => void, isApproval: boolean}}
 *     props
 */
function ListBar({ list, chosen, setChosen, isApproval }) {
    const [bulk, setBulk] = useState(/** @type {"" | "approve" | "reject"} */ (""));
    const waiting = list.runs.filter((/** @type {any} */ run) => run.state === "approval");
    const runs = waiting.filter((/** @type {any} */ run) => chosen.has(run.id));
    const showNew = () => (scrollTo(0, 0), list.reload());
    return html`<div class="run-bar row">
        <span class="muted small" role="status">
            ${list.cursor
                ? `${number(list.runs.length)} runs loaded; more follow below`
                : `${plural(list.runs.length, "run")}, all shown`}
        </span>
        ${list.fresh > 0
            ? html`<button type="button" class="small primary" onClick=${showNew}>
                  ${newText(list.fresh)}
              </button>`
            : null}
        <span class="grow"></span>
        ${isApproval && may("operate")
            ? html`<button
                      type="button"
                      class="small"
                      disabled=${waiting.length === 0}
                      onClick=${() =>
                          setChosen(
                              new Set(
                                  runs.length === waiting.length
                                      ? []
                                      : waiting.map((/** @type {any} */ run) => run.id),
                              ),
                          )}
                  >
                      ${runs.length > 0 && runs.length === waiting.length
                          ? "Choose none"
                          : `Choose all ${number(waiting.length)}`}
                  </button>
                  <button
                      type="button"
                      class="small primary"
                      disabled=${runs.length === 0}
                      onClick=${() => setBulk("approve")}
                  >
                      Approve ${number(runs.length)}
                  </button>
                  <button
                      type="button"
                      class="small danger"
                      disabled=${runs.length === 0}
                      onClick=${() => setBulk("reject")}
                  >
                      Reject ${number(runs.length)}
                  </button>`
            : null}
        ${bulk
            ? html`<${BulkDialog}
                  runs=${runs}
                  name=${bulk}
                  onClose=${() => setBulk("")}
                  onDone=${() => setChosen(new Set())}
              />`
            : null}
    </div>`;
}

export function Runs() {
    const filter = filterOf(query.value);
    const list = useRuns(filter);
    const at = useNow();
    const isNarrow = useMedia("(max-width: 1240px)");
    const isPhone = useMedia("(max-width: 600px)");
    const [chosen, setChosen] = useState(/** @type {Set<string>} */ (new Set()));
    const isApproval = filter.state === "approval";
    const choiceOf = (/** @type {any} */ run) =>
        isApproval && may("operate")
            ? {
                  has: chosen.has(run.id) && run.state === "approval",
                  set: (/** @type {boolean} */ on) =>
                      setChosen(
                          on
                              ? new Set([...chosen, run.id])
                              : new Set([...chosen].filter((id) => id !== run.id)),
                      ),
              }
            : null;
    const hasFilter = Object.keys(filter).length > 0;
    return html`<${Head}
            title=${isApproval ? "Runs that wait for approval" : "Runs"}
            sub="Open runs by creation and ended runs by their end, newest first. Rows change as runs do."
        />
        <${RunFilters} isNarrow=${isPhone} />
        <section class="card flush ${isApproval ? "run-choose" : ""}" aria-label="Runs">
            ${list.error ? html`<${Problem} error=${list.error} retry=${list.reload} />` : null}
            <${ListBar} list=${list} chosen=${chosen} setChosen=${setChosen} isApproval=${isApproval} />
            ${!list.loaded
                ? html`<div class="loading" role="status" aria-label="Loading"></div>`
                : list.runs.length === 0 && !list.error
                  ? html`<${Empty} title=${hasFilter ? "No run matches these filters." : "No run yet."}>
                        ${hasFilter
                            ? html`<button type="button" onClick=${() => clearFilter()}>
                                  Clear the filters
                              </button>`
                            : html`<p>
                                  A run appears here when a slot of a schedule is due, or when somebody
                                  triggers one.
                              </p>`}
                    <//>`
                  : html`<${VirtualList}
                        label="Runs"
                        class="run-list"
                        count=${list.runs.length}
                        height=${isPhone ? ROW_PHONE : isNarrow ? ROW_NARROW : ROW}
                        head=${isNarrow ? null : html`<${HeadRow} />`}
                        onNearEnd=${list.loadMore}
                        row=${(/** @type {number} */ i) =>
                            html`<${Row}
                                key=${list.runs[i].id}
                                run=${list.runs[i]}
                                at=${at}
                                choice=${choiceOf(list.runs[i])}
                            />`}
                    />`}
        </section>`;
}

function clearFilter() {
    setQuery(Object.fromEntries(Object.keys(filterOf(query.value)).map((name) => [name, null])));
}
