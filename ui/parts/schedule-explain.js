/* SPDX-License-Identifier: Apache-2.0 */
/* Why a schedule does or does not run at any instant, in the words of the server. */
import { html, useState } from "../lib/html.js";
import { get, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { href, query, setQuery } from "../lib/router.js";
import { fullTime, ms, now, offsetName, viewerZone, zoneName } from "../lib/time.js";
import { stateOf } from "../lib/words.js";
import { Badge, Card, Field, Load, Time } from "./basic.js";
import { instantText, isZone, localText, ZonePicker } from "./schedule-zone.js";

/** @param {{moment: any, zone: string, id: string}} props */
function Moment({ moment, zone, id }) {
    const jump = (/** @type {string | null} */ at, /** @type {string} */ text) =>
        at
            ? html`<button type="button" class="small" onClick=${() => setQuery({ at, local: null })}>
                  ${text} <span class="num">${fullTime(at, zone)}</span>
              </button>`
            : null;
    return html`<section class="moment ${moment.isSlot ? "is-slot" : ""}">
        <h3>
            ${moment.at
                ? html`<span class="num">${fullTime(moment.at, zone)}</span>${" "}
                      <span class="faint"
                          >${offsetName(moment.at, zone)} · ${zone} · <${Time} at=${moment.at} relative
                      /></span>`
                : "This local time does not exist"}
        </h3>
        <p class="row">
            ${moment.isSlot
                ? html`<${Badge}
                      of=${moment.slot ? stateOf(moment.slot) : "planned"}
                      reason=${moment.slot?.reason ?? null}
                  />`
                : html`<span class="badge tone-off"
                      ><span class="sign" aria-hidden="true">–</span>not a slot</span
                  >`}
            ${moment.local
                ? html`<span class="muted"
                      >local time of the schedule:${" "}
                      <span class="num">${moment.local.replace("T", " ")}</span></span
                  >`
                : null}
        </p>
        <ul class="sentences">
            ${moment.sentences.map((/** @type {string} */ text) => html`<li>${text}</li>`)}
        </ul>
        <p class="row">
            ${jump(moment.previous, "← Previous slot")} ${jump(moment.next, "Next slot →")}
            ${moment.slot?.run
                ? html`<a href=${href(["run", moment.slot.id])}>The run of this slot</a>`
                : null}
            ${moment.at
                ? html`<a href=${href(["schedule", id], { tab: "slots", at: moment.at })}>Slots around it</a>`
                : null}
        </p>
    </section>`;
}

/** @param {{schedule: any}} props */
export function ScheduleExplain({ schedule }) {
    const { id, spec } = schedule;
    const zone = query.value.in || zoneName(spec.timezone);
    /* A local time of the schedule's own zone goes to the server as such: only it knows both of two. */
    const local = query.value.local ?? "";
    const at = query.value.at ?? "";
    const values = local ? { at: local } : { at: at || null };
    const answer = useResource(
        `explain ${id} ${local} ${at} ${schedule.state.version}`,
        (abort) => get(v1("schedules", id, "explain"), values, abort),
        { keep: true, refreshOn: (event) => event.schedule === id, pause: 2000 },
    );
    const shown = local || localText(at && !Number.isNaN(ms(at)) ? at : answer.data?.moments[0]?.at, zone);
    const choose = (/** @type {any} */ event) => {
        const text = event.target.value;
        if (!text) return;
        if (zone === spec.timezone) setQuery({ local: text.padEnd(19, ":00"), at: null }, { replace: true });
        else setQuery({ at: instantText(text, zone), local: null }, { replace: true });
    };
    const [draft, setDraft] = useState(/** @type {string | null} */ (null));
    const setZone = (/** @type {string} */ name) => {
        setDraft(name);
        if (isZone(name)) applyZone(name);
    };
    const applyZone = (/** @type {string} */ name) =>
        setQuery({ in: name || null, at: at || answer.data?.moments[0]?.at, local: null }, { replace: true });
    return html`<${Card} title="Explain an instant">
        <p class="muted last-line">Why the schedule did, did not, will or will not run at a time.</p>
        <div class="row explain-bar">
            <${Field} label="Time">
                <input
                    type="datetime-local"
                    step="1"
                    aria-label="Time (${zone})"
                    value=${shown}
                    onInput=${choose}
                />
            <//>
            <${Field} label="In the zone">
                <${ZonePicker}
                    id="explain-zone"
                    label="Zone of the time"
                    value=${draft ?? zone}
                    onChange=${setZone}
                />
            <//>
            <div class="row explain-quick">
                <button
                    type="button"
                    onClick=${() => setQuery({ at: new Date(now.value).toISOString(), local: null })}
                >
                    Now
                </button>
                ${[
                    ["UTC", "UTC"],
                    [spec.timezone, "Zone of the schedule"],
                    [viewerZone, "My zone"],
                ]
                    .filter(([name], i, all) => all.findIndex(([other]) => other === name) === i)
                    .map(
                        ([name, text]) =>
                            html`<button
                                type="button"
                                class="chip"
                                aria-pressed=${zone === name ? "true" : "false"}
                                onClick=${() => setZone(name)}
                            >
                                ${text}
                            </button>`,
                    )}
            </div>
        </div>
        <div class="moments" aria-live="polite">
            <${Load} of=${answer} rows=${4}>
                ${(/** @type {any} */ data) =>
                    html` ${data.moments.length > 1
                        ? html`<p class="note">A clock change makes this local time occur twice.</p>`
                        : null}
                    ${data.moments.map(
                        (/** @type {any} */ moment) =>
                            html`<${Moment} key=${moment.at} moment=${moment} zone=${zone} id=${id} />`,
                    )}
                    ${data.note ? html`<p class="muted small">${data.note}</p>` : null}`}
            <//>
        </div>
    <//>`;
}
