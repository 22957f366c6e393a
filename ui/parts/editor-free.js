/* SPDX-License-Identifier: Apache-2.0 */
/* The free-slot finder: the minutes near a time of day at which the server has least to start. */
import { html, useState } from "../lib/html.js";
import { get } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { civil, clockOf, ms } from "../lib/time.js";
import { plural } from "../lib/words.js";
import { Load } from "./basic.js";
import { getIn, isPlain } from "./editor-doc.js";
import { instantText, localText } from "./schedule-zone.js";

/** @typedef {import("./editor-fields.js").Form} Form */

const HALF = 30; /* minutes before and after the chosen time */
const OFFERED = 4;

/** Dialects whose expressions begin with minute and hour. */
const MINUTE_FIRST = new Set([
    undefined,
    null,
    "belfry",
    "posix",
    "vixie",
    "cronie",
    "robfig",
    "k8s",
    "github",
    "cloudscheduler",
    "aws",
]);

/** The first cron line that names one minute and one hour. @param {any} doc */
function fixedLine(doc) {
    const lines = getIn(doc, ["spec", "cron"]);
    if (!Array.isArray(lines)) return null;
    for (const [at, line] of lines.entries()) {
        const expr = isPlain(line) ? line.expr : line;
        const dialect = isPlain(line) ? line.dialect : undefined;
        const found = typeof expr === "string" && /^\s*(\d{1,2})\s+(\d{1,2})((?:\s+\S+){3})\s*$/.exec(expr);
        if (found && MINUTE_FIRST.has(dialect))
            return { at, line, minute: Number(found[1]), hour: Number(found[2]), rest: found[3] };
    }
    return null;
}

/** @param {number} hour @param {number} minute */
const clock = (hour, minute) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;

/** Moves the schedule to a time of day. @param {Form} form @param {string} time */
function applyTime(form, time) {
    const [hour, minute] = time.split(":").map(Number);
    const fixed = fixedLine(form.doc);
    if (fixed) {
        const expr = `${minute} ${hour}${fixed.rest}`;
        const path = ["spec", "cron", fixed.at];
        form.set(isPlain(fixed.line) ? [...path, "expr"] : path, expr);
        return;
    }
    const times = getIn(form.doc, ["spec", "timesOfDay"]);
    const list = Array.isArray(times) ? times : [];
    form.set(["spec", "timesOfDay"], list.length === 1 ? [time] : [...list, time]);
}

/** The next instant at which the clock shows this time. @param {string} time @param {string} zone */
function nextOf(time, zone) {
    const now = Date.now();
    const today = ms(instantText(`${localText(now, zone).slice(0, 10)}T${time}`, zone) ?? "");
    if (today - HALF * 60_000 > now) return today;
    return ms(instantText(`${localText(now + 86_400_000, zone).slice(0, 10)}T${time}`, zone) ?? "");
}

/** Every minute of the hour with what is planned then. @param {any} load @param {number} center */
function minutesOf(load, center) {
    const planned = new Map();
    for (const group of load.groups)
        for (const bucket of group.buckets)
            planned.set(ms(bucket.at), (planned.get(ms(bucket.at)) ?? 0) + (bucket.planned ?? 0));
    return Array.from({ length: 2 * HALF + 1 }, (_, i) => {
        const at = center + (i - HALF) * 60_000;
        return { at, planned: planned.get(at) ?? 0, distance: Math.abs(i - HALF) };
    });
}

/** @param {{form: Form, time: string}} props */
function Finder({ form, time }) {
    const center = nextOf(time, form.zone);
    const from = new Date(center - HALF * 60_000).toISOString();
    const to = new Date(center + (HALF + 1) * 60_000).toISOString();
    const load = useResource(Number.isNaN(center) ? "" : `load ${from}`, (abort) =>
        get("/api/v1/load", { from, to, step: "1m" }, abort),
    );
    if (Number.isNaN(center)) return null;
    return html`<${Load} of=${load} rows=${2}>
        ${(/** @type {any} */ data) => {
            const minutes = minutesOf(data, center);
            const most = Math.max(1, ...minutes.map(({ planned }) => planned));
            const best = minutes
                .toSorted((a, b) => a.planned - b.planned || a.distance - b.distance)
                .slice(0, OFFERED);
            const name = (/** @type {number} */ at) => clockOf(civil(at, form.zone)).slice(0, 5);
            const here = minutes[HALF];
            return html`<div
                    class="free-bars"
                    role="img"
                    aria-label="Planned starts per minute from ${name(minutes[0].at)} to ${name(
                        minutes[2 * HALF].at,
                    )}; at most ${most}"
                >
                    ${minutes.map(
                        (one) =>
                            html`<span
                                class=${one === here ? "here" : best.includes(one) ? "best" : ""}
                                title="${name(one.at)}: ${plural(one.planned, "start")}"
                                style=${{ height: `${4 + (32 * one.planned) / most}px` }}
                            ></span>`,
                    )}
                </div>
                <p class="small muted">
                    ${name(here.at)} has ${plural(here.planned, "planned start")}. Least loaded nearby:
                    ${data.cut ? html` <span class="faint">(${data.cut})</span>` : null}
                </p>
                <div class="row">
                    ${best.map(
                        ({ at, planned }) =>
                            html`<button
                                type="button"
                                class="small"
                                onClick=${() => applyTime(form, name(at))}
                            >
                                use ${name(at)} <span class="faint num">${planned}</span>
                            </button>`,
                    )}
                </div>`;
        }}
    <//>`;
}

/** @param {{form: Form}} props */
export function FreeSlot({ form }) {
    const [isOpen, setOpen] = useState(false);
    const [chosen, setChosen] = useState("");
    const fixed = fixedLine(form.doc);
    const time = chosen || (fixed ? clock(fixed.hour, fixed.minute) : "02:00");
    return html`<details
        class="form-section"
        open=${isOpen}
        onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}
    >
        <summary>Find a free minute</summary>
        ${isOpen
            ? html`<div class="form form-section-body">
                  <label class="row">
                      <span>Near</span>
                      <input
                          type="time"
                          value=${time}
                          onInput=${(/** @type {any} */ event) => setChosen(event.target.value)}
                      />
                      <span class="hint">${form.zone}</span>
                  </label>
                  <${Finder} form=${form} time=${time} />
              </div>`
            : null}
    </details>`;
}
