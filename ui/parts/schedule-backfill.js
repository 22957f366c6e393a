/* SPDX-License-Identifier: Apache-2.0 */
/* A backfill: choose a range by its ends or by dragging, count, start, watch. */
import { html, useRef, useState } from "../lib/html.js";
import { get, post, request, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { fullTime, ms, now, relative, shortTime, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Dialog, Field, Load, Problem, Tabs } from "./basic.js";
import { OVERLAP, sentenceOf } from "./editor-words.js";
import { BackfillRow } from "./schedule-backfills.js";
import { ZonedTime } from "./schedule-zone.js";

const HOUR = 3_600_000;
/** @type {Array<[string, string]>} */
const SPANS = [
    ["6", "6 hours"],
    ["24", "Day"],
    ["168", "Week"],
    ["720", "30 days"],
    ["1440", "60 days"],
];
const WIDTH = 720;

/** Outcomes in the order in which they are stacked: the tone, and how buckets count them. */
const STACK = /** @type {const} */ ([
    ["ok", ["succeeded", "open"]],
    ["bad", ["failed", "timedOut"]],
    ["miss", ["missed", "dropped"]],
    ["skip", ["skipped"]],
    ["off", ["cancelled"]],
]);

/**
 * How many slots of each tone are in each bucket of the strip.
 * @param {any} row
 * @param {number} from
 * @param {number} step
 */
function buckets(row, from, step) {
    const found = new Map();
    const add = (/** @type {string} */ at, /** @type {string} */ tone, /** @type {number} */ count) => {
        const i = Math.floor((ms(at) - from) / step);
        const bucket = found.get(i) ?? {};
        bucket[tone] = (bucket[tone] ?? 0) + count;
        found.set(i, bucket);
    };
    for (const one of row.buckets ?? [])
        for (const [tone, names] of STACK)
            for (const name of names) if (one[name]) add(one.at, tone, one[name]);
    for (const one of row.slots ?? []) {
        const name = one.outcome === "started" ? (one.run?.outcome ?? "open") : one.outcome;
        const tone = STACK.find(([, names]) => names.some((each) => each === name))?.[0];
        if (tone) add(one.slot, tone, one.count ?? 1);
    }
    return found;
}

/**
 * What became of the slots of some time; dragging chooses a range.  The fields below do the same by
 * keyboard.
 * @param {{id: string, hours: number, zone: string, from: string | null, to: string | null,
 *     onRange: (from: string, to: string) => void}} props
 */
function SlotStrip({ id, hours, zone, from, to, onRange }) {
    const ref = useRef(/** @type {SVGSVGElement | null} */ (null));
    const [drag, setDrag] = useState(/** @type {[number, number] | null} */ (null));
    const [end] = useState(() => Math.ceil(now.value / HOUR) * HOUR);
    const begin = end - hours * HOUR;
    const step = (hours * HOUR) / 120;
    const slots = useResource(
        `strip ${id} ${hours}`,
        (abort) =>
            get(
                "/api/v1/slots",
                {
                    schedule: id,
                    from: new Date(begin).toISOString(),
                    to: new Date(end).toISOString(),
                    step: `${step / 1000}s`,
                    slots: 200,
                },
                abort,
            ),
        { refreshOn: (event) => event.schedule === id, pause: 5000 },
    );
    const x = (/** @type {number} */ at) => ((at - begin) / (end - begin)) * WIDTH;
    const atPointer = (/** @type {PointerEvent} */ event) => {
        const box = /** @type {SVGSVGElement} */ (ref.current).getBoundingClientRect();
        const part = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
        return Math.round((begin + part * (end - begin)) / 60_000) * 60_000;
    };
    const finish = () => {
        if (drag && drag[0] !== drag[1]) {
            const last = Math.min(Math.max(...drag), Math.floor(now.value / 1000) * 1000);
            onRange(new Date(Math.min(...drag)).toISOString(), new Date(last).toISOString());
        }
        setDrag(null);
    };
    const chosen = drag ? [Math.min(...drag), Math.max(...drag)] : [from ? ms(from) : NaN, to ? ms(to) : NaN];
    const row = slots.data?.schedules[0];
    const found = row ? buckets(row, begin, step) : new Map();
    const most = Math.max(
        1,
        ...[...found.values()].map((one) => Object.values(one).reduce((a, b) => a + b, 0)),
    );
    return html`<div class="slot-strip">
        <svg
            ref=${ref}
            viewBox="0 0 ${WIDTH} 64"
            preserveAspectRatio="none"
            aria-hidden="true"
            onPointerDown=${(/** @type {any} */ event) => {
                event.currentTarget.setPointerCapture(event.pointerId);
                setDrag([atPointer(event), atPointer(event)]);
            }}
            onPointerMove=${(/** @type {any} */ event) => drag && setDrag([drag[0], atPointer(event)])}
            onPointerUp=${finish}
            onPointerCancel=${() => setDrag(null)}
        >
            <rect class="slot-strip-bg" x="0" y="0" width=${WIDTH} height="64" />
            ${[...found].map(([i, one]) => {
                let y = 64;
                return STACK.map(([tone]) => {
                    if (!one[tone]) return null;
                    const height = Math.max(3, (58 * one[tone]) / most);
                    y -= height;
                    return html`<rect
                        class="fill-${tone}"
                        x=${(i * WIDTH) / 120 + 0.5}
                        y=${y}
                        width=${WIDTH / 120 - 1}
                        height=${height}
                    />`;
                });
            })}
            ${Number.isNaN(chosen[0]) || Number.isNaN(chosen[1])
                ? null
                : html`<rect
                      class="slot-strip-chosen"
                      x=${x(chosen[0])}
                      y="0"
                      width=${Math.max(2, x(chosen[1]) - x(chosen[0]))}
                      height="64"
                  />`}
        </svg>
        <p class="slot-strip-ends small faint num">
            <span>${shortTime(begin, zone)}</span><span>drag to choose a range</span
            ><span>${shortTime(end, zone)}</span>
        </p>
        <p class="row small muted slot-strip-key">
            ${[
                ["ok", "ran"],
                ["bad", "failed"],
                ["miss", "missed or dropped"],
                ["skip", "skipped"],
                ["off", "cancelled"],
            ].map(
                ([tone, text]) =>
                    html`<span><span class="dot-${tone}" aria-hidden="true"></span> ${text}</span>`,
            )}
            ${row?.cut || slots.data?.cut
                ? html`<span class="faint">${row?.cut ?? slots.data.cut}</span>`
                : null}
        </p>
        ${slots.error ? html`<${Problem} error=${slots.error} retry=${slots.reload} />` : null}
    </div>`;
}

/** What the server says that the backfill would do. @param {{plan: any, zone: string}} props */
function Plan({ plan, zone }) {
    const [range] = plan.ranges;
    if (plan.count === 0)
        return html`<p>No slot of this range ${plan.only === "missed" ? "was missed" : "exists"}.</p>`;
    return html`<p>
            <strong
                >${plan.more ? "More than " : ""}${plural(
                    plan.count,
                    plan.only === "missed" ? "missed slot" : "slot",
                )}</strong
            >
            from ${fullTime(range.first, zone)} to ${fullTime(range.last, zone)} ${zone}.
        </p>
        <details>
            <summary class="small">
                ${plan.times.length < plan.count
                    ? `The first ${number(plan.times.length)} of them`
                    : "All of them"}
            </summary>
            <ul class="bare-list small num times-columns">
                ${plan.times.map((/** @type {string} */ at) => html`<li>${fullTime(at, zone)}</li>`)}
            </ul>
        </details>`;
}

/** @param {{id: string, started: any, zone: string, onClose: () => void}} props */
function Started({ id, started, zone, onClose }) {
    const progress = useResource(
        `backfill ${id} ${started.id}`,
        (abort) => get(v1("schedules", id, "backfills", String(started.id)), {}, abort),
        { refreshOn: (event) => event.schedule === id, pause: 1000, every: 5000 },
    );
    return html`<p>Backfill ${started.id} has begun. It continues when you close this dialog.</p>
        <${Load} of=${progress} rows=${2}>
            ${(/** @type {any} */ data) =>
                html`<${BackfillRow} backfill=${data} zone=${zone} onChange=${progress.reload} />`}
        <//>
        <div class="dialog-foot">
            <button type="button" class="primary" onClick=${onClose}>Close</button>
        </div>`;
}

/** @param {{id: string, schedule: any, onClose: () => void, onDone: () => void}} props */
export function BackfillDialog({ id, schedule, onClose, onDone }) {
    const zone = zoneName(schedule.spec.timezone);
    const [hours, setHours] = useState("24");
    const [range, setRange] = useState(
        /** @type {{from: string | null, to: string | null}} */ ({ from: null, to: null }),
    );
    const [only, setOnly] = useState("missed");
    const [overlap, setOverlap] = useState("");
    const [started, setStarted] = useState(/** @type {any} */ (null));
    const [error, setError] = useState(/** @type {any} */ (null));
    const [busy, setBusy] = useState(false);
    /* While a year is typed, the field has one of the first centuries. */
    const isChosen = ms(range.from) > 0 && ms(range.to) > 0;
    const body = { ...range, only, ...(overlap ? { overlap } : {}) };
    const plan = useResource(isChosen ? `plan ${JSON.stringify(body)}` : "", (abort) =>
        request("POST", v1("schedules", id, "backfill"), { body: { ...body, dryRun: true }, signal: abort }),
    );
    const submit = async (/** @type {Event} */ event) => {
        event.preventDefault();
        setBusy(true);
        setError(null);
        try {
            const answer = await post(v1("schedules", id, "backfill"), body);
            setStarted(answer.ranges[0]);
            onDone();
        } catch (problem) {
            setError(problem);
        }
        setBusy(false);
    };
    return html`<${Dialog} title="Backfill ${id}" onClose=${onClose} wide>
        ${started
            ? html`<${Started} id=${id} started=${started} zone=${zone} onClose=${onClose} />`
            : html`<form class="form" onSubmit=${submit}>
                  <div class="row">
                      <${Tabs}
                          label="Time that the strip shows"
                          tabs=${SPANS}
                          chosen=${hours}
                          onChoose=${setHours}
                      />
                      <span class="faint small">until now, ${zone}</span>
                  </div>
                  <${SlotStrip}
                      key=${hours}
                      id=${id}
                      hours=${Number(hours)}
                      zone=${zone}
                      ...${range}
                      onRange=${(/** @type {string} */ from, /** @type {string} */ to) =>
                          setRange({ from, to })}
                  />
                  <div class="grid2 tight">
                      <${Field} label="From (inclusive)"
                          ><${ZonedTime}
                              label="From"
                              zone=${zone}
                              value=${range.from}
                              onChange=${(/** @type {any} */ from) => setRange({ ...range, from })}
                      /><//>
                      <${Field} label="To (inclusive)" hint=${range.to ? relative(range.to) : null}
                          ><${ZonedTime}
                              label="To"
                              zone=${zone}
                              value=${range.to}
                              onChange=${(/** @type {any} */ to) => setRange({ ...range, to })}
                      /><//>
                  </div>
                  <label class="check">
                      <input
                          type="checkbox"
                          checked=${only === "missed"}
                          onChange=${(/** @type {any} */ event) =>
                              setOnly(event.target.checked ? "missed" : "all")}
                      />
                      Only slots that were missed: no run was started for them
                  </label>
                  <${Field}
                      label="If a run is still open"
                      hint=${overlap
                          ? sentenceOf(OVERLAP, overlap)
                          : "Runs wait for each other, unless the schedule allows all."}
                  >
                      <select
                          value=${overlap}
                          onChange=${(/** @type {any} */ event) => setOverlap(event.target.value)}
                      >
                          <option value="">default</option>
                          ${OVERLAP.map(([name, text]) => html`<option value=${name}>${text}</option>`)}
                      </select>
                  <//>
                  <div class="fill-plan" aria-live="polite">
                      ${isChosen
                          ? html`<${Load} of=${plan} rows=${2}
                                >${(/** @type {any} */ data) =>
                                    html`<${Plan} plan=${data} zone=${zone} />`}<//
                            >`
                          : html`<p class="muted">Choose a range to count its slots.</p>`}
                  </div>
                  ${error ? html`<${Problem} error=${error} />` : null}
                  <div class="dialog-foot">
                      <button type="button" onClick=${onClose}>Cancel</button>
                      <button
                          type="submit"
                          class="primary"
                          disabled=${busy || !plan.data || plan.data.count === 0}
                      >
                          ${plan.data?.count ? `Run ${plural(plan.data.count, "slot")}` : "Run"}
                      </button>
                  </div>
              </form>`}
    <//>`;
}
