/* SPDX-License-Identifier: Apache-2.0 */
/* One run: what became of it, when and why, its attempts, log, data and history. */
import { html } from "../lib/html.js";
import { namespace } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { query, setQuery } from "../lib/router.js";
import { number } from "../lib/words.js";
import { Badge, Card, Empty, Facts, Head, Link, Load, Tabs, Time, useNow } from "../parts/basic.js";
import { Gantt } from "../parts/gantt.js";
import { JsonView } from "../parts/json-view.js";
import { LogView } from "../parts/log-view.js";
import { RunActions } from "../parts/run-actions.js";
import { Attempts, History } from "../parts/run-history.js";
import { LatenessSplit } from "../parts/run-late.js";
import { loadRun } from "../parts/run-data.js";
import { phasesOf } from "../parts/run-phases.js";
import { Duration, Lateness, runSentence, stateName } from "../parts/run-words.js";

/** @param {any} data */
const zoneOf = (data) => data.schedule?.spec?.timezone ?? null;

/** @param {{data: any, at: number}} props */
function Summary({ data, at }) {
    const { run } = data;
    const zone = zoneOf(data);
    const time = (/** @type {any} */ value, none = "not yet") =>
        html`<${Time} at=${value} zone=${zone} none=${none} />`;
    return html`<${Facts}
        rows=${[
            ["State", html`<${Badge} of=${stateName(run)} reason=${run.outcome ? run.reason : null} />`],
            run.error && [
                "Error",
                html`<span class="tone-text-bad"
                    ><code>${run.error.code}</code> ${run.error.message}</span
                >`,
            ],
            ["Slot", html`${time(run.slot)} <${ExplainLink} run=${run} />`],
            ["Due", time(run.due)],
            ["Created", time(run.createdAt, "unknown")],
            [
                "Started",
                html`${time(run.startedAt)}${run.attempt > 1
                    ? html` <span class="faint">(attempt ${run.attempt})</span>`
                    : null}`,
            ],
            ["Ended", time(run.endedAt)],
            ["Late", html`<${LateTwice} data=${data} at=${at} />`],
            ["Took", html`<${Duration} run=${run} at=${at} />`],
            ["Kind", run.kind],
            run.queue && [
                "Queue",
                html`<${Link} to=${["queues"]} query=${{ queue: run.queue }}>${run.queue}<//>`,
            ],
            run.worker && ["Worker", run.worker],
            [
                "Attempt",
                html`<span class="num">${run.attempt}</span> <span class="faint">fence ${run.fence}</span>`,
            ],
            run.leaseUntil && ["Lease until", time(run.leaseUntil)],
            run.progress && ["Progress", html`<${Progress} of=${run.progress} />`],
            run.source && ["Chosen by", run.source],
            run.lastRunAt && ["Run before", time(run.lastRunAt)],
            run.sessionId && ["Session", html`<code>${run.sessionId}</code>`],
            run.threadId && ["Thread", html`<code>${run.threadId}</code>`],
            ["Id", html`<code>${run.id}</code>`],
        ]}
    />`;
}

/** Lateness is that of the first start; a retry starts later still. @param {{data: any, at: number}} props */
function LateTwice({ data: { run, attempts }, at }) {
    const first = attempts[0];
    if (!(run.attempt > 1) || !first?.startedAt) return html`<${Lateness} run=${run} at=${at} />`;
    return html`<${Lateness} run=${{ ...run, startedAt: first.startedAt, attempt: 1 }} at=${at} />
        <span class="faint"> at the first start</span>`;
}

/** @param {{run: any}} props */
function ExplainLink({ run }) {
    if (!run.schedule) return null;
    return html`<${Link} to=${["schedule", run.schedule]} query=${{ tab: "explain", at: run.slot }}
        >explain<//
    >`;
}

/** Text, or text with a bar. @param {{of: any}} props */
function Progress({ of }) {
    if (typeof of === "string") return of;
    return html`${of.percent === null || of.percent === undefined
        ? null
        : html`<progress max="100" value=${of.percent} aria-label="Progress"></progress>${" "}<span
                  class="num"
                  >${Math.round(of.percent)} %</span
              >${" "}`}${of.text ?? ""}${of.workflowId
        ? html` workflow <code>${of.workflowId}</code>`
        : null}`;
}

/** Numbers of language models, as far as their names are known. @param {{llm: any}} props */
function Llm({ llm }) {
    const rows = Object.entries(llm ?? {}).filter(([, value]) => typeof value !== "object");
    return html`<div class="stack">
        <${Facts}
            rows=${rows.map(([name, value]) => [
                name,
                html`<span class="num"
                    >${typeof value === "number"
                        ? /usd|cost/i.test(name)
                            ? `$${value}`
                            : number(value)
                        : String(value)}</span
                >`,
            ])}
        />
        <${JsonView} value=${llm} label="Model use" />
    </div>`;
}

/**
 * What a run was given and gave: name, words, value.
 * @param {any} data
 * @returns {Array<[string, string, any]>}
 */
function documents({ run, schedule }) {
    const own = Object.keys(run.input ?? {}).length > 0;
    const given = schedule?.action?.input;
    const isHttp = schedule?.action?.type === "http";
    return /** @type {Array<[string, string, any]>} */ ([
        ["result", isHttp ? "Response" : "Result", run.result],
        ["input", own ? "Input" : "Input of the schedule", own ? run.input : given],
        ["summary", "Summary", run.summary],
        ["llm", "Tokens and cost", run.llm],
        ["tools", "Tools", run.tools],
        ["refs", "References", run.refs],
    ]).filter(([, , value]) => value !== null && value !== undefined && JSON.stringify(value) !== "{}");
}

/** @param {{data: any}} props */
function Documents({ data }) {
    const all = documents(data);
    if (all.length === 0)
        return html`<${Card} title="Result and input"
            ><p class="faint">
                This run has no input${data.run.outcome ? " and no result" : " and no result yet"}.
            </p><//
        >`;
    const [name, title, value] = all.find(([one]) => one === query.value.show) ?? all[0];
    return html`<${Card}
        title="Result and input"
        actions=${html`<${Tabs}
            label="Documents"
            chosen=${name}
            tabs=${all.map(([one, words]) => [one, words])}
            onChoose=${(/** @type {string} */ one) => setQuery({ show: one }, { replace: true })}
        />`}
    >
        ${name === "summary"
            ? html`<p class="pre">${value}</p>`
            : name === "llm"
              ? html`<${Llm} llm=${value} />`
              : html`<${JsonView} value=${value} label=${title} />`}
    <//>`;
}

/** @param {{data: any}} props */
function Shown({ data }) {
    const at = useNow();
    const { run, attempts, events, schedule } = data;
    const isOpen = run.state !== "ended";
    const { phases, exact } = phasesOf(run, attempts, events, at, schedule?.policies?.approval === true);
    const gate = schedule?.policies?.concurrency;
    return html`<${Head} title=${run.schedule ? `Run of ${run.schedule}` : "Run"} sub=${runSentence(run)}>
            ${run.schedule
                ? html`<${Link} class="button" to=${["schedule", run.schedule]}>Schedule<//>
                      <${Link} class="button" to=${["runs"]} query=${{ schedule: run.schedule }}
                          >Its runs<//
                      >`
                : null}
            <${RunActions} run=${run} opens />
        <//>
        <div class="run-top">
            <${Card} title="This run"><${Summary} data=${data} at=${at} /><//>
            <div class="stack">
                <${Card} title="Attempts by time">
                    <${Gantt} phases=${phases} outcome=${run.outcome} zone=${zoneOf(data)} />
                    ${exact
                        ? null
                        : html`<p class="faint small">
                              The events of this run are gone; what it waited for is not known.
                          </p>`}
                <//>
                <${Card} title=${run.startedAt ? "Why it started when it did" : "Why it has not started"}>
                    <${LatenessSplit} data=${data} phases=${phases} />
                    ${gate
                        ? html`<p class="small muted">
                              Gate <${Link} to=${["gates"]} query=${{ search: gate.key }}>${gate.key}<//>:
                              at most ${gate.limit} at once.
                          </p>`
                        : null}
                <//>
            </div>
        </div>
        <${Card} title="Log"
            ><${LogView} key=${run.id} run=${run.id} isOpen=${isOpen} zone=${zoneOf(data)}
        /><//>
        <${Card} title="Attempts"><${Attempts} data=${data} zone=${zoneOf(data)} /><//>
        <${Documents} data=${data} />
        <${Card} title="Who did what"><${History} data=${data} zone=${zoneOf(data)} /><//>`;
}

/** @param {{segments: string[]}} props */
export function Run({ segments }) {
    const id = segments[0] ?? "";
    const data = useResource(id ? `run ${namespace()} ${id}` : "", (abort) => loadRun(id, abort), {
        refreshOn: (event) => event.run === id,
    });
    if (!id)
        return html`<${Head} title="Run" /><${Empty} title="No run is chosen."
                ><${Link} to=${["runs"]}>All runs<//><//
            >`;
    if (!data.data)
        return html`<${Head} title="Run" sub=${html`<code>${id}</code>`} /><${Load} of=${data}
                >${() => null}<//
            >`;
    return html`<${Load} of=${data}
        >${(/** @type {any} */ loaded) => html`<${Shown} data=${loaded} />`}<//
    >`;
}
