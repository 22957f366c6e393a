/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a schedule, newest first. */
import { html } from "../lib/html.js";
import { query, setQuery } from "../lib/router.js";
import { number, plural } from "../lib/words.js";
import { Card, Empty, Link, Problem, useNow } from "./basic.js";
import { RunTable } from "./schedule-overview.js";
import { useRuns } from "./run-list.js";

/** @type {Array<[string, string, string[]]>} */
const FILTERS = [
    ["state", "State", ["open", "held", "approval", "ready", "leased", "running", "backoff", "ended"]],
    ["outcome", "Outcome", ["succeeded", "failed", "timedOut", "cancelled", "terminated", "unknown"]],
    ["kind", "Kind", ["slot", "trigger", "backfill", "test"]],
];

/** @param {{schedule: any}} props */
export function ScheduleRuns({ schedule }) {
    useNow();
    const filter = Object.fromEntries(
        FILTERS.map(([name]) => [name, query.value[name]]).filter(([, value]) => value),
    );
    const list = useRuns({ schedule: schedule.id, ...filter });
    return html`<${Card}
        title="Runs"
        actions=${html`<${Link} to=${["runs"]} query=${{ schedule: schedule.id, ...filter }}
            >In the list of all runs<//
        >`}
    >
        <div class="filters last-line">
            ${FILTERS.map(
                ([name, text, words]) =>
                    html`<label class="row">
                        <span class="muted small">${text}</span>
                        <select
                            value=${query.value[name] ?? ""}
                            onChange=${(/** @type {any} */ event) =>
                                setQuery({ [name]: event.target.value || null })}
                        >
                            <option value="">any</option>
                            ${words.map((word) => html`<option value=${word}>${word}</option>`)}
                        </select>
                    </label>`,
            )}
            ${list.fresh > 0
                ? html`<button type="button" class="small primary" onClick=${list.reload}>
                      ${number(list.fresh)} new: show
                  </button>`
                : null}
        </div>
        ${list.error ? html`<${Problem} error=${list.error} retry=${list.reload} />` : null}
        ${list.runs.length > 0
            ? html`<${RunTable} runs=${list.runs} zone=${schedule.spec.timezone} />`
            : list.loaded && !list.error
              ? html`<${Empty} title="No such runs"><p>Ended runs stay as long as the retention says.</p><//>`
              : null}
        <p class="last-line">
            ${list.cursor
                ? html`<button type="button" onClick=${list.loadMore}>
                      ${plural(list.runs.length, "run")} shown; show more
                  </button>`
                : list.loaded
                  ? html`<span class="faint">${plural(list.runs.length, "run")}, all shown</span>`
                  : null}
        </p>
    <//>`;
}
