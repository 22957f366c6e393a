/* SPDX-License-Identifier: Apache-2.0 */
/* Why a run started late: the time from due to its last start, by cause. */
import { html } from "../lib/html.js";
import { useResource } from "../lib/resource.js";
import { namespace } from "../lib/api.js";
import { ms, span } from "../lib/time.js";
import { NO_EVIDENCE, loadEvidence } from "./run-data.js";
import { lastStart, splitLateness } from "./run-phases.js";

const EXPLAIN_FROM = 100; /* milliseconds of waiting that are worth a look at other runs */

/** Cause: word and class of colour. @type {Record<string, [string, string]>} */
const CAUSES = {
    clock: ["Clock", "clock"],
    server: ["Server was down", "server"],
    overlap: ["Earlier run", "held"],
    approval: ["Approval", "approval"],
    paused: ["Queue paused", "held"],
    gate: ["Gate", "gate"],
    queue: ["Queue wait", "ready"],
    noWorker: ["No worker", "noworker"],
    node: ["No place on a node", "ready"],
    worker: ["Worker began late", "leased"],
    attempts: ["Earlier attempts", "running"],
    retry: ["Retry wait", "backoff"],
    other: ["Other", "other"],
};

/** Milliseconds exactly, so that people can add them up. @param {number} amount */
const exact = (amount) => `${new Intl.NumberFormat("en").format(amount)} ms`;

/** @param {{cause: string, amount: number, whys: Set<string>, total: number}} props */
function Part({ cause, amount, whys, total }) {
    const [word, name] = CAUSES[cause];
    return html`<tr>
        <td class="nowrap"><i class="gantt-key phase-${name}"></i>${word}</td>
        <td class="right num nowrap" title=${exact(amount)}>${span(amount)}</td>
        <td class="right num">
            ${total > 0 ? `${((100 * amount) / total).toFixed(amount / total < 0.1 ? 1 : 0)} %` : ""}
        </td>
        <td class="muted small">${[...whys].join("; ")}</td>
    </tr>`;
}

/** @param {{run: any, at: number, until: number}} props */
function Total({ run, until }) {
    const late = until - ms(run.due);
    const what = !run.startedAt
        ? run.state === "ended"
            ? "from due to the end; it never started"
            : "since it was due; it has not started"
        : run.attempt > 1
          ? `from due to the start of attempt ${run.attempt}`
          : "from due to the start";
    return html`<p class="late-total">
        <strong class="num">${span(Math.max(0, late))}</strong> <span class="muted">${what}</span>
    </p>`;
}

/** @param {{data: any, phases: import("./run-phases.js").Phase[]}} props */
export function LatenessSplit({ data, phases }) {
    const { run } = data;
    const until = lastStart(run, phases);
    const from = ms(run.due);
    const isLong = until - from >= EXPLAIN_FROM;
    /* Of a run that still waits, the evidence is read again every ten seconds. */
    const bound = run.startedAt ? until : Math.floor(until / 10_000) * 10_000;
    const evidence = useResource(
        isLong ? `evidence ${namespace()} ${run.id} ${run.state} ${bound}` : "",
        (abort) => loadEvidence(data, from, until, abort),
        { keep: true },
    );
    const { total, parts } = splitLateness(
        phases,
        until,
        evidence.data ?? { ...NO_EVIDENCE, queue: run.queue },
    );
    const isKnown = !isLong || evidence.data !== undefined || evidence.error !== undefined;
    return html`<div class="late">
        <${Total} run=${run} until=${until} />
        <div class="late-bar" aria-hidden="true">
            ${parts.map(
                ({ cause, amount }) =>
                    html`<i
                        key=${cause}
                        class="phase-${CAUSES[cause][1]}"
                        style=${{ flexGrow: amount, flexBasis: 0 }}
                    ></i>`,
            )}
        </div>
        ${total === 0
            ? html`<p class="muted">It started when it was due.</p>`
            : !isKnown
              ? html`<div class="loading" role="status" aria-label="Loading"></div>`
              : html`<div class="scroll-x" tabindex="0" role="region" aria-label="Table of causes">
                    <table class="table late-table">
                        <thead>
                            <tr>
                                <th>Cause</th>
                                <th class="right">Time</th>
                                <th class="right">Share</th>
                                <th>Why</th>
                            </tr>
                        </thead>
                        <tbody>
                            ${parts.map(
                                (part) => html`<${Part} key=${part.cause} ...${part} total=${total} />`,
                            )}
                        </tbody>
                        <tfoot>
                            <tr>
                                <th>Total</th>
                                <td class="right num" title="The parts add up to this exactly.">
                                    ${exact(total)}
                                </td>
                                <td></td>
                                <td></td>
                            </tr>
                        </tfoot>
                    </table>
                </div>`}
    </div>`;
}
