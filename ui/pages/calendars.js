/* SPDX-License-Identifier: Apache-2.0 */
/* Named calendars: days that schedules leave out.  A list, and one calendar as a year of days. */
import { html, useEffect, useState } from "../lib/html.js";
import { del, get, getAll, namespace, put, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { go, guardLeaving, query, setQuery } from "../lib/router.js";
import { civil, dateOf, now, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import {
    Card,
    Dialog,
    Empty,
    Field,
    FormDialog,
    Head,
    Link,
    Load,
    Problem,
    Time,
    toast,
} from "../parts/basic.js";
import { may } from "../parts/login.js";
import { YearDays } from "../parts/year-days.js";

const CALENDARS_MAX = 5000;
const SEARCHED_MAX = 5000; /* schedules that are read to find those that use a calendar */
const DATE = /^\d{4}-\d\d-\d\d$/;

const todayNow = () => dateOf(civil(now.value, zoneName()));

/** Whether a text is a date that exists. @param {string} text */
function isDate(text) {
    return DATE.test(text) && new Date(`${text}T00:00:00Z`).toISOString().slice(0, 10) === text;
}

/** Dates of a text, one or more per line; what is none is returned apart. @param {string} text */
export function readDates(text) {
    const words = text.split(/[\s,;]+/).filter(Boolean);
    const isGood = (/** @type {string} */ word) => {
        try {
            return isDate(word);
        } catch {
            return false;
        }
    };
    return { dates: new Set(words.filter(isGood)), wrong: words.filter((word) => !isGood(word)) };
}

/** PUT would empty a calendar that exists. @param {string} name */
async function exists(name) {
    const { entries } = await getAll("/api/v1/calendars", "calendars", {}, Infinity);
    return entries.some((one) => one.name === name);
}

/** @param {{onClose: () => void}} props */
function NewDialog({ onClose }) {
    const [name, setName] = useState("");
    const create = async () => {
        if (await exists(name.trim()))
            throw new Error(`A calendar with the name ${name.trim()} exists already.`);
        await put(v1("calendars", name.trim()), { dates: [] });
        toast(`Calendar ${name} is created; choose its days.`);
        go(["calendars", name.trim()]);
    };
    return html`<${FormDialog}
        title="New calendar"
        action="Create the calendar"
        onClose=${onClose}
        run=${create}
    >
        <p>A schedule leaves out the days of a calendar that its spec names under “exclude”.</p>
        <${Field} label="Name">
            <input
                type="text"
                required
                value=${name}
                onInput=${(/** @type {any} */ event) => setName(event.target.value)}
            />
        <//>
    <//>`;
}

/** @param {{list: any}} props */
function Table({ list }) {
    if (list.entries.length === 0)
        return html`<section class="card">
            <${Empty} title="No calendar yet."
                ><p>
                    A calendar holds days, such as public holidays, on which schedules that name it do not
                    run.
                </p><//
            >
        </section>`;
    return html`<section class="card flush" aria-label="Calendars">
        <div class="scroll-x">
            <table class="table">
                <thead>
                    <tr>
                        <th>Calendar</th>
                        <th class="right">Days</th>
                        <th class="right">Version</th>
                        <th>Changed</th>
                    </tr>
                </thead>
                <tbody>
                    ${list.entries.map(
                        (/** @type {any} */ one) =>
                            html`<tr key=${one.name}>
                                <th scope="row"><${Link} to=${["calendars", one.name]}>${one.name}<//></th>
                                <td class="right num">${number(one.count)}</td>
                                <td class="right num">${number(one.version)}</td>
                                <td><${Time} at=${one.updatedAt} /></td>
                            </tr>`,
                    )}
                </tbody>
            </table>
        </div>
        ${list.more
            ? html`<p class="faint small pad">
                  The first ${number(list.entries.length)} calendars are shown; there are more.
              </p>`
            : null}
    </section>`;
}

function CalendarList() {
    const [isNew, setNew] = useState(false);
    const list = useResource(
        `calendars ${namespace()}`,
        (abort) => getAll("/api/v1/calendars", "calendars", {}, CALENDARS_MAX, abort),
        {
            every: 30_000,
            keep: true,
        },
    );
    return html`<${Head} title="Calendars" sub="Days on which schedules do not run, shared by name.">
            ${may("edit")
                ? html`<button type="button" onClick=${() => setNew(true)}>New calendar</button>`
                : null}
        <//>
        ${isNew ? html`<${NewDialog} onClose=${() => setNew(false)} />` : null}
        <${Load} of=${list}>${(/** @type {any} */ data) => html`<${Table} list=${data} />`}<//>`;
}

/** Schedules that exclude a calendar. @param {string} name */
async function findUsers(name) {
    const { entries, more } = await getAll(
        "/api/v1/schedules",
        "schedules",
        { fields: "spec" },
        SEARCHED_MAX,
        undefined,
    );
    return {
        users: entries.filter((one) => one.spec?.exclude?.named?.includes(name)),
        count: entries.length,
        more,
    };
}

/** The API has no such filter, so schedules are read on request only. @param {{name: string}} props */
function UsedBy({ name }) {
    const [key, setKey] = useState("");
    const found = useResource(key, () => findUsers(name));
    if (!key)
        return html`<button type="button" onClick=${() => setKey(`users ${namespace()} ${name}`)}>
            Find schedules that use it
        </button>`;
    return html`<${Load} of=${found} rows=${2}>
        ${(/** @type {any} */ { users, count, more }) => html`
            ${users.length === 0 ? html`<p class="faint">No schedule excludes it.</p>` : null}
            <ul class="plain-list">
                ${users.map(
                    (/** @type {any} */ one) =>
                        html`<li><${Link} to=${["schedule", one.id]}>${one.id}<//></li>`,
                )}
            </ul>
            ${more
                ? html`<p class="faint small">
                      Only the first ${number(count)} schedules were read; there are more.
                  </p>`
                : null}
        `}
    <//>`;
}

/** @param {{name: string, onClose: () => void}} props */
function DeleteDialog({ name, onClose }) {
    const remove = async () => {
        await del(v1("calendars", name));
        guardLeaving(null);
        toast(`Calendar ${name} is deleted.`);
        go(["calendars"]);
    };
    return html`<${FormDialog}
        title="Delete the calendar ${name}?"
        action="Delete the calendar"
        tone="danger"
        onClose=${onClose}
        run=${remove}
    >
        <p>
            Schedules that name it are not changed. A calendar that does not exist leaves out no days: these
            schedules run on all their days, until it is created again.
        </p>
    <//>`;
}

/** @param {{leave: () => void, onClose: () => void}} props */
function LeaveDialog({ leave, onClose }) {
    return html`<${Dialog} title="Leave without saving?" onClose=${onClose}>
        <p>The changed days are not saved.</p>
        <div class="dialog-foot">
            <button type="button" onClick=${onClose}>Stay</button>
            <button type="button" class="danger" onClick=${leave}>Leave without saving</button>
        </div>
    <//>`;
}

/** What a save would change. @param {Set<string>} before @param {Set<string>} after */
function differenceOf(before, after) {
    const added = [...after].filter((date) => !before.has(date)).length;
    const removed = [...before].filter((date) => !after.has(date)).length;
    return { added, removed, isChanged: added + removed > 0 };
}

/**
 * The dates as text, kept apart while it is typed.
 * @param {{days: Set<string>, setDays: (days: Set<string>) => void, readOnly: boolean}} props
 */
function DatesText({ days, setDays, readOnly }) {
    const [typed, setTyped] = useState(/** @type {string | null} */ (null));
    const text = typed ?? [...days].sort().join("\n");
    const { wrong } = readDates(text);
    const onInput = (/** @type {any} */ event) => {
        setTyped(event.target.value);
        setDays(readDates(event.target.value).dates);
    };
    return html`<${Field}
        label="Dates"
        hint="One per line, as YYYY-MM-DD. Paste a list here."
        error=${wrong.length > 0
            ? `Not a date: ${wrong.slice(0, 3).join(", ")}${wrong.length > 3 ? ` and ${wrong.length - 3} more` : ""}`
            : null}
    >
        <textarea
            class="mono"
            rows="12"
            spellcheck=${false}
            readonly=${readOnly}
            value=${text}
            onInput=${onInput}
            onBlur=${() => wrong.length === 0 && setTyped(null)}
        ></textarea>
    <//>`;
}

/** @param {{calendar: any, reload: () => void}} props */
function Editor({ calendar, reload }) {
    const [days, setDays] = useState(new Set(/** @type {string[]} */ (calendar.dates)));
    const [base, setBase] = useState(calendar);
    const [error, setError] = useState(/** @type {any} */ (null));
    const [dialog, setDialog] = useState("");
    const [leave, setLeave] = useState(/** @type {{go: () => void} | null} */ (null));
    const { added, removed, isChanged } = differenceOf(new Set(base.dates), days);
    const readOnly = !may("edit");
    const today = todayNow();
    const year = Number(query.value.year) || Number(today.slice(0, 4));
    const inYear = [...days].filter((date) => date.startsWith(`${year}-`)).length;
    const setYear = (/** @type {number} */ to) => setQuery({ year: to }, { replace: true });
    const isStale = calendar.version !== base.version && isChanged;

    useEffect(() => {
        if (calendar.version !== base.version && !isChanged) {
            setBase(calendar);
            setDays(new Set(calendar.dates));
        }
    }, [calendar.version]);
    useEffect(() => {
        guardLeaving(isChanged ? (goOn) => setLeave({ go: goOn }) : null);
        return () => guardLeaving(null);
    }, [isChanged]);

    const toggle = (/** @type {string} */ date) => {
        const next = new Set(days);
        if (!next.delete(date)) next.add(date);
        setDays(next);
    };
    const save = async () => {
        setError(null);
        try {
            const saved = await put(
                v1("calendars", base.name),
                { dates: [...days].sort() },
                { "If-Match": `"${base.version}"` },
            );
            setBase(saved);
            setDays(new Set(saved.dates));
            toast("Saved. Schedules that exclude these days are planned again.");
            reload();
        } catch (problem) {
            setError(problem);
        }
    };
    return html`<${Head}
            title=${base.name}
            sub=${html`${plural(days.size, "day")}, version ${number(base.version)}, changed${" "}<${Time}
                    at=${base.updatedAt}
                />`}
        >
            ${readOnly
                ? null
                : html`<span class="muted small" role="status"
                          >${isChanged
                              ? `${plural(added, "day")} added, ${number(removed)} removed`
                              : ""}</span
                      >
                      <button
                          type="button"
                          disabled=${!isChanged}
                          onClick=${() => setDays(new Set(base.dates))}
                      >
                          Undo changes
                      </button>
                      <button type="button" class="primary" disabled=${!isChanged} onClick=${save}>
                          Save
                      </button>
                      <button type="button" class="danger" onClick=${() => setDialog("delete")}>
                          Delete…
                      </button>`}
        <//>
        ${error ? html`<${Problem} error=${error} />` : null}
        ${isStale
            ? html`<p class="note">
                  Somebody else has changed this calendar. Saving will be refused; undo your changes to see
                  the new version.
              </p>`
            : null}
        <div class="calendar">
            <section class="card" aria-label="Year">
                <div class="card-head">
                    <div class="row">
                        <button
                            type="button"
                            class="small"
                            aria-label="Year before"
                            onClick=${() => setYear(year - 1)}
                        >
                            ←
                        </button>
                        <h2 class="num">${year}</h2>
                        <button
                            type="button"
                            class="small"
                            aria-label="Year after"
                            onClick=${() => setYear(year + 1)}
                        >
                            →
                        </button>
                        <span class="muted small">${plural(inYear, "day")} in this year</span>
                    </div>
                </div>
                <${YearDays}
                    year=${year}
                    days=${days}
                    today=${today}
                    readOnly=${readOnly}
                    toggle=${toggle}
                    onYear=${setYear}
                />
            </section>
            <div class="stack">
                <section class="card" aria-label="Dates as text">
                    <${DatesText}
                        key=${base.version}
                        days=${days}
                        setDays=${setDays}
                        readOnly=${readOnly}
                    />
                </section>
                <${Card} title="Used by"><${UsedBy} name=${base.name} /><//>
            </div>
        </div>
        ${dialog === "delete"
            ? html`<${DeleteDialog} name=${base.name} onClose=${() => setDialog("")} />`
            : null}
        ${leave ? html`<${LeaveDialog} leave=${leave.go} onClose=${() => setLeave(null)} />` : null}`;
}

/** @param {{segments: string[]}} props */
export function Calendars({ segments }) {
    const name = segments[0];
    const calendar = useResource(
        name ? `calendar ${namespace()} ${name}` : "",
        (abort) => get(v1("calendars", name), {}, abort),
        { every: 30_000 },
    );
    if (!name) return html`<${CalendarList} />`;
    return html`<${Load} of=${calendar}>
        ${(/** @type {any} */ data) =>
            html`<${Editor} key=${name} calendar=${data} reload=${calendar.reload} />`}
    <//>`;
}
