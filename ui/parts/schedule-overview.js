/* SPDX-License-Identifier: Apache-2.0 */
/* The overview of a schedule: when, what, how; next times, open runs, last runs, warnings. */
import { html } from "../lib/html.js";
import { get, getAll, post, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { href } from "../lib/router.js";
import { number } from "../lib/words.js";
import { Badge, Card, Facts, Link, Load, Spark, Time, useNow } from "./basic.js";
import { ClockChanges, TimesTable } from "./editor-preview.js";
import { Duration, Lateness, stateName } from "./run-words.js";
import { RUN_FIELDS } from "./run-list.js";
import { Backfills } from "./schedule-backfills.js";
import { actionFacts, governorFacts, policyFacts, specFacts } from "./schedule-facts.js";

const LAST_RUNS = 8;
const COUNTED = ["succeeded", "failed", "skipped", "missed", "dropped", "cancelled"];

/**
 * Next times as planned, with the words of the preview for each.
 * @param {{schedule: any, preview: any}} props
 */
function NextTimes({ schedule, preview }) {
    useNow();
    const { id, state, spec } = schedule;
    const next = useResource(
        `next ${id} ${state.version} ${state.nextAt}`,
        (abort) => get(v1("schedules", id, "next"), { count: 10 }, abort),
        {
            keep: true,
            refreshOn: (event) => event.schedule === id && event.type === "slot.cancelled",
            pause: 1500,
        },
    );
    const words = preview.data;
    const notes = new Map((words?.next ?? []).map((/** @type {any} */ time) => [time.slot, time.note]));
    return html`<${Card} title="Next times" class="next-times">
        <${Load} of=${next} rows=${8}>
            ${(/** @type {any} */ data) =>
                html`${data.times.length > 0
                    ? html`<${TimesTable}
                          times=${data.times.map((/** @type {any} */ time) => ({
                              ...time,
                              note:
                                  notes.get(time.slot) ?? (/^baseline/.test(time.source) ? "" : time.source),
                          }))}
                          zone=${spec.timezone}
                          changes=${words?.clockChanges ?? []}
                      />`
                    : html`<p class="muted">${data.noNextReason ?? "No run is planned."}</p>`}
                ${data.later ? html`<p class="muted small">Later times depend on how runs end.</p>` : null}
                ${data.note ? html`<p class="muted small">${data.note}</p>` : null}`}
        <//>
        ${words?.clockChanges.some((/** @type {any} */ change) => change.touches)
            ? html`<h3>Clock changes of the next year</h3>
                  <${ClockChanges} changes=${words.clockChanges} zone=${spec.timezone} />`
            : null}
    <//>`;
}

/** @param {{runs: any[], zone: string}} props */
export function RunTable({ runs, zone }) {
    const at = Date.now();
    return html`<div class="scroll-x">
        <table class="table">
            <thead>
                <tr>
                    <th>State</th>
                    <th>Run</th>
                    <th>Slot</th>
                    <th>Started</th>
                    <th class="right">Late</th>
                    <th class="right">Took</th>
                    <th class="right">Attempt</th>
                </tr>
            </thead>
            <tbody>
                ${runs.map(
                    (run) =>
                        html`<tr key=${run.id}>
                            <td>
                                <${Badge} of=${stateName(run)} reason=${run.outcome ? run.reason : null} />
                            </td>
                            <td>
                                <a href=${href(["run", run.id])} title=${run.id}>…${run.id.slice(-6)}</a>
                                ${run.kind === "slot"
                                    ? null
                                    : html` <span class="faint small">${run.kind}</span>`}
                                ${run.error
                                    ? html`<div class="faint small clip run-error" title=${run.error.message}>
                                          ${run.error.message}
                                      </div>`
                                    : null}
                            </td>
                            <td class="nowrap"><${Time} at=${run.slot} zone=${zone} /></td>
                            <td class="nowrap">
                                <${Time} at=${run.startedAt} zone=${zone} none="not yet" />
                            </td>
                            <td class="right"><${Lateness} run=${run} at=${at} /></td>
                            <td class="right"><${Duration} run=${run} at=${at} /></td>
                            <td class="right num">${run.attempt || "–"}</td>
                        </tr>`,
                )}
            </tbody>
        </table>
    </div>`;
}

/** @param {{schedule: any}} props */
function LastRuns({ schedule }) {
    useNow();
    const { id, state, spec } = schedule;
    const { counters } = state;
    const runs = useResource(
        `last ${id}`,
        (abort) => getAll("/api/v1/runs", "runs", { schedule: id, fields: RUN_FIELDS }, LAST_RUNS, abort),
        { refreshOn: (event) => event.schedule === id && event.type.startsWith("run."), pause: 1500 },
    );
    return html`<${Card}
        title="Last runs"
        actions=${html`<${Link} to=${["schedule", id]} query=${{ tab: "runs" }}>All runs<//>`}
    >
        <div class="row last-line">
            <${Spark} recent=${state.recent} />
            <span class="muted small num">
                ${COUNTED.map((name) => `${number(counters[name])} ${name}`).join(" · ")}
            </span>
        </div>
        <${Load} of=${runs} rows=${LAST_RUNS}>
            ${(/** @type {any} */ data) =>
                data.entries.length > 0
                    ? html`<${RunTable} runs=${data.entries.slice(0, LAST_RUNS)} zone=${spec.timezone} />`
                    : html`<p class="muted">No run yet.</p>`}
        <//>
        ${state.lastSuccessAt
            ? html`<p class="muted small">Last success <${Time} at=${state.lastSuccessAt} relative />.</p>`
            : null}
    <//>`;
}

/** @param {{schedule: any, health: any}} props */
export function ScheduleOverview({ schedule, health }) {
    const { id, spec, state } = schedule;
    const preview = useResource(
        `words ${id} ${state.version}`,
        () => post("/api/v1/preview", { spec, id, count: 10 }),
        { keep: true },
    );
    const warnings = [
        ...new Set([
            ...(state.warnings ?? []),
            ...(health?.warnings ?? []),
            ...(preview.data?.warnings ?? []),
        ]),
    ];
    return html`${warnings.map((text) => html`<p class="note">${text}</p>`)}
        <div class="schedule-grid">
            <div class="stack">
                <${Card} title="When">
                    <p class="schedule-words">${preview.data?.description ?? " "}</p>
                    <${Facts} rows=${specFacts(spec)} />
                <//>
                <${Card} title="What and how">
                    <${Facts}
                        rows=${[
                            ...actionFacts(schedule.action),
                            ...governorFacts(schedule.governor),
                            ...policyFacts(schedule.policies),
                        ]}
                    />
                    <p class="faint small last-line">
                        Version ${state.version}, changed <${Time} at=${state.updatedAt} relative />
                        ${` by ${state.updatedBy}`}
                        ${state.dialect === "native" ? "" : `, written by the API ${state.dialect}`}
                    </p>
                <//>
            </div>
            <div class="stack">
                <${NextTimes} schedule=${schedule} preview=${preview} />
                <${LastRuns} schedule=${schedule} />
            </div>
        </div>
        <${Backfills} schedule=${schedule} />`;
}
