/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: how many runs wait and since when, limits, pauses, and the workers that hold runs. */
import { html, useState } from "../lib/html.js";
import { get, getAll, namespace, post, put, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { query } from "../lib/router.js";
import { ms } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import {
    Badge,
    Card,
    Empty,
    Field,
    FormDialog,
    Head,
    Link,
    Load,
    Time,
    attempt,
    toast,
    useNow,
} from "../parts/basic.js";
import { may } from "../parts/login.js";
import { Duration } from "../parts/run-words.js";

const QUEUES_MAX = 5000;
const HELD_MAX = 1000;
const OLD_MS = 60_000;

/** @param {any} event */
const matters = (event) => /^run\.(ready|claimed|ended|retrying|cancelled)$|^lease\./.test(event.type);

/** Runs that workers hold now, of all queues. @param {AbortSignal} abort */
async function loadHeld(abort) {
    const fields = "schedule,queue,worker,state,attempt,startedAt,endedAt,leaseUntil";
    const [leased, running] = await Promise.all(
        ["leased", "running"].map((state) =>
            get("/api/v1/runs", { state, fields, limit: HELD_MAX }, abort),
        ),
    );
    const runs = [...leased.runs, ...running.runs].filter((run) => run.queue);
    return { runs, more: Boolean(leased.cursor || running.cursor) };
}

/** @param {{queue: any, onClose: () => void, onDone: () => void}} props */
function LimitDialog({ queue, onClose, onDone }) {
    const [name, setName] = useState(queue?.name ?? "");
    const [limit, setLimit] = useState(queue?.limit === null || !queue ? "" : String(queue.limit));
    const change = async () => {
        await put(v1("queues", name.trim()), { limit: limit === "" ? null : Number(limit) });
        toast(limit === "" ? `Queue ${name} has no limit.` : `Queue ${name} has the limit ${limit}.`);
        onDone();
    };
    return html`<${FormDialog}
        title=${queue ? `Limit of the queue ${queue.name}` : "New queue"}
        action=${queue ? "Set the limit" : "Create the queue"}
        onClose=${onClose}
        run=${change}
    >
        ${queue
            ? null
            : html`<p>
                      A queue exists as soon as a schedule or a worker names it; create one here to set its
                      limit before.
                  </p>
                  <${Field} label="Name">
                      <input
                          type="text"
                          required
                          value=${name}
                          onInput=${(/** @type {any} */ event) => setName(event.target.value)}
                      />
                  <//>`}
        <${Field}
            label="Limit"
            hint="The most runs that workers hold at the same time, on all nodes. Empty: no limit."
        >
            <input
                type="number"
                min="1"
                max="1000000"
                value=${limit}
                onInput=${(/** @type {any} */ event) => setLimit(event.target.value)}
            />
        <//>
    <//>`;
}

/** What a pause means now. @param {any} queue */
function pauseText(queue) {
    const waiting = `${plural(queue.depth, "run")}${queue.more ? " or more" : ""} ${queue.depth === 1 ? "waits" : "wait"}`;
    return (
        `Workers get no runs from it until it is resumed. ${waiting} now; more will as schedules go on. ` +
        "Runs that workers hold continue."
    );
}

/** Asks before pausing; resumes at once. @param {{queue: any, onDone: () => void}} props */
function PauseButton({ queue, onDone }) {
    const [isOpen, setOpen] = useState(false);
    const resume = async () => {
        await attempt(() => post(v1("queues", queue.name, "resume")), `Queue ${queue.name} is resumed.`);
        onDone();
    };
    const pause = async () => {
        await post(v1("queues", queue.name, "pause"));
        toast(`Queue ${queue.name} is paused.`);
        onDone();
    };
    if (queue.paused) return html`<button type="button" class="small" onClick=${resume}>Resume</button>`;
    return html`<button type="button" class="small" onClick=${() => setOpen(true)}>Pause</button> ${isOpen
            ? html`<${FormDialog}
                  title="Pause the queue ${queue.name}?"
                  action="Pause the queue"
                  tone="danger"
                  onClose=${() => setOpen(false)}
                  run=${pause}
              >
                  <p>${pauseText(queue)}</p>
              <//>`
            : null}`;
}

/** @param {{queue: any, held: any[], isChosen: boolean, onDone: () => void, at: number}} props */
function Row({ queue, held, isChosen, onDone, at }) {
    const [isOpen, setOpen] = useState(false);
    const workers = new Set(held.map((run) => run.worker)).size;
    const isOld = queue.oldest && at - ms(queue.oldest) > OLD_MS;
    return html`<tr class=${isChosen ? "row-chosen" : ""}>
        <th scope="row">
            <${Link} to=${["runs"]} query=${{ queue: queue.name }}>${queue.name}<//>
            ${queue.paused ? html` <${Badge} of="paused" />` : null}
        </th>
        <td class="right num">
            ${queue.depth > 0
                ? html`<${Link} to=${["runs"]} query=${{ queue: queue.name, state: "ready" }}
                      >${number(queue.depth)}${queue.more ? "+" : ""}<//
                  >`
                : html`<span class="faint">0</span>`}
        </td>
        <td class=${isOld ? "tone-text-late" : ""}><${Time} at=${queue.oldest} relative /></td>
        <td class="right num">
            ${held.length > 0
                ? html`${number(held.length)}${queue.limit === null
                      ? ""
                      : html`<span class="faint"> of ${number(queue.limit)}</span>`}`
                : html`<span class="faint"
                      >0${queue.limit === null ? "" : ` of ${number(queue.limit)}`}</span
                  >`}
        </td>
        <td class="right num">${workers > 0 ? number(workers) : html`<span class="faint">0</span>`}</td>
        <td class="right num">
            ${queue.limit === null ? html`<span class="faint">none</span>` : number(queue.limit)}
        </td>
        <td>
            ${may("operate")
                ? html`<div class="actions table-actions">
                      <button type="button" class="small" onClick=${() => setOpen(true)}>Limit</button>
                      <${PauseButton} queue=${queue} onDone=${onDone} />
                  </div>`
                : null}
            ${isOpen
                ? html`<${LimitDialog} queue=${queue} onClose=${() => setOpen(false)} onDone=${onDone} />`
                : null}
        </td>
    </tr>`;
}

/** Workers and what they hold: a row per worker. @param {{runs: any[], more: boolean, at: number}} props */
function Workers({ runs, more, at }) {
    const byWorker = new Map();
    for (const run of runs) {
        const name = run.worker ?? "";
        byWorker.set(name, [...(byWorker.get(name) ?? []), run]);
    }
    const rows = [...byWorker].sort(([, a], [, b]) => b.length - a.length);
    if (rows.length === 0)
        return html`<p class="faint pad">
            No worker holds a run of a queue now. Workers that only wait are not listed: the server does not
            name them.
        </p>`;
    return html`<div class="scroll-x" tabindex="0" role="region" aria-label="Table of workers">
            <table class="table">
                <thead>
                    <tr>
                        <th>Worker</th>
                        <th>Queues</th>
                        <th class="right">Runs</th>
                        <th>Oldest of them</th>
                        <th class="right">Runs for</th>
                        <th>Lease until</th>
                    </tr>
                </thead>
                <tbody>
                    ${rows.map(([name, held]) => {
                        const oldest = held.reduce((/** @type {any} */ a, /** @type {any} */ b) =>
                            (b.startedAt ?? "") < (a.startedAt ?? "") ? b : a,
                        );
                        return html`<tr key=${name}>
                            <th scope="row">${name || html`<span class="faint">no name</span>`}</th>
                            <td>
                                ${[...new Set(held.map((/** @type {any} */ run) => run.queue))].join(", ")}
                            </td>
                            <td class="right num">${number(held.length)}</td>
                            <td><${Link} to=${["run", oldest.id]}>${oldest.schedule ?? oldest.id}<//></td>
                            <td class="right"><${Duration} run=${oldest} at=${at} /></td>
                            <td><${Time} at=${oldest.leaseUntil} /></td>
                        </tr>`;
                    })}
                </tbody>
            </table>
        </div>
        ${more
            ? html`<p class="faint small pad">
                  The newest ${number(runs.length)} held runs are counted; there are more.
              </p>`
            : null}`;
}

export function Queues() {
    const at = useNow();
    const [isNew, setNew] = useState(false);
    const options = { refreshOn: matters, pause: 2000, every: 30_000, keep: true };
    const queues = useResource(
        `queues ${namespace()}`,
        (abort) => getAll("/api/v1/queues", "queues", {}, QUEUES_MAX, abort),
        options,
    );
    const held = useResource(`held ${namespace()}`, loadHeld, options);
    const chosen = query.value.queue;
    const runs = held.data?.runs ?? [];
    return html`<${Head}
            title="Queues and workers"
            sub="Runs of queue actions wait here until a worker claims them."
        >
            ${may("operate")
                ? html`<button type="button" onClick=${() => setNew(true)}>New queue</button>`
                : null}
        <//>
        ${isNew ? html`<${LimitDialog} onClose=${() => setNew(false)} onDone=${queues.reload} />` : null}
        <${Load} of=${queues}>
            ${(/** @type {any} */ list) =>
                list.entries.length === 0
                    ? html`<section class="card">
                          <${Empty} title="No queue yet."
                              ><p>
                                  A queue appears when a schedule with a queue action runs, or when a worker
                                  asks for it.
                              </p><//
                          >
                      </section>`
                    : html`<section class="card flush" aria-label="Queues">
                          <div class="scroll-x">
                              <table class="table">
                                  <thead>
                                      <tr>
                                          <th>Queue</th>
                                          <th class="right">Waiting</th>
                                          <th>Oldest</th>
                                          <th class="right">Held by workers</th>
                                          <th class="right">Workers</th>
                                          <th class="right">Limit</th>
                                          <th><span class="hidden">Actions</span></th>
                                      </tr>
                                  </thead>
                                  <tbody>
                                      ${list.entries.map(
                                          (/** @type {any} */ queue) =>
                                              html`<${Row}
                                                  key=${queue.name}
                                                  queue=${queue}
                                                  at=${at}
                                                  isChosen=${queue.name === chosen}
                                                  held=${runs.filter(
                                                      (/** @type {any} */ run) => run.queue === queue.name,
                                                  )}
                                                  onDone=${queues.reload}
                                              />`,
                                      )}
                                  </tbody>
                              </table>
                          </div>
                          ${list.more
                              ? html`<p class="faint small pad">
                                    The first ${number(list.entries.length)} queues are shown; there are
                                    more.
                                </p>`
                              : null}
                      </section>`}
        <//>
        <${Card} title="Workers that hold runs" class="flush">
            <${Load} of=${held}
                >${(/** @type {any} */ data) =>
                    html`<${Workers} runs=${data.runs} more=${data.more} at=${at} />`}<//
            >
        <//>`;
}
