/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces and their settings: quotas, rates, networks, upstreams and keys.  No secret is shown. */
import { html, useState } from "../lib/html.js";
import { getAll, namespace as current, put, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { go } from "../lib/router.js";
import { number } from "../lib/words.js";
import { Empty, Field, FormDialog, Head, Load, Time, toast } from "../parts/basic.js";
import { JsonView } from "../parts/json-view.js";
import { secretsOf, withSecrets } from "../parts/settings-secrets.js";

const MANY = 5000;

/** Settings with a field of their own; the others are edited as JSON. */
const NUMBERS = /** @type {Array<[string, string, string]>} */ ([
    ["quotaSchedules", "Maximum number of schedules", "Empty: the server's default. 0: no limit."],
    [
        "rateRead",
        "Read requests per minute",
        "Of all clients together, on each node. Empty: no limit of its own.",
    ],
    [
        "rateWrite",
        "Write requests per minute",
        "Of all clients together, on each node. Empty: no limit of its own.",
    ],
]);
const OWN = [...NUMBERS.map(([name]) => name), "allowPrivate", "allowNetworks"];

const OTHERS_HINT =
    "Members: keys, upstreams, upstream, searchAttributes. " +
    'Write "set" in the place of a secret: a field for it appears below.';

/** @param {any} settings */
const othersOf = (settings) =>
    Object.fromEntries(Object.entries(settings).filter(([name]) => !OWN.includes(name)));

/** What the form says. @param {any} settings */
const formOf = (settings) => ({
    ...Object.fromEntries(
        NUMBERS.map(([name]) => [name, settings[name] === undefined ? "" : String(settings[name])]),
    ),
    allowPrivate: settings.allowPrivate === true,
    allowNetworks: (settings.allowNetworks ?? []).join(", "),
    others: JSON.stringify(othersOf(settings), null, 2),
});

/** The settings of a form; throws if its JSON is none. @param {any} form */
function settingsOf(form) {
    const settings = JSON.parse(form.others.trim() || "{}");
    for (const [name] of NUMBERS) if (form[name] !== "") settings[name] = Number(form[name]);
    if (form.allowPrivate) settings.allowPrivate = true;
    const networks = form.allowNetworks.split(/[\s,]+/).filter(Boolean);
    if (networks.length > 0) settings.allowNetworks = networks;
    return settings;
}

/** The settings, or why their JSON is none. @param {any} form */
function readForm(form) {
    try {
        return { settings: settingsOf(form), wrong: "" };
    } catch (error) {
        return { settings: null, wrong: /** @type {Error} */ (error).message };
    }
}

/**
 * A field per secret that has to be entered again.
 * @param {{paths: string[][], entered: Record<string, string>, enter: (key: string, text: string) =>
 *     void}} props
 */
function Secrets({ paths, entered, enter }) {
    if (paths.length === 0) return null;
    return html`<fieldset class="form">
        <legend>Secrets</legend>
        <p class="note">
            A save replaces all settings, and the server never shows secrets. Enter each again, or remove
            its member from the JSON above. Nothing is kept in this browser.
        </p>
        ${paths.map((path) => {
            const key = path.join("\n");
            return html`<${Field} key=${key} label=${html`<code>${path.join(".")}</code>`}>
                <input
                    type="password"
                    autocomplete="new-password"
                    required
                    value=${entered[key] ?? ""}
                    onInput=${(/** @type {any} */ event) => enter(key, event.target.value)}
                />
            <//>`;
        })}
    </fieldset>`;
}

/** @param {{of: any, onClose: () => void, onDone: () => void}} props */
function EditDialog({ of, onClose, onDone }) {
    const [form, setForm] = useState(/** @type {any} */ (formOf(of.settings)));
    const [entered, setEntered] = useState(/** @type {Record<string, string>} */ ({}));
    const { settings, wrong } = readForm(form);
    const set = (/** @type {string} */ name, /** @type {any} */ value) =>
        setForm({ ...form, [name]: value });
    const save = async () => {
        await put(v1("namespaces", of.name), { settings: withSecrets(settings, entered) });
        toast(`The settings of ${of.name} are saved; other nodes follow within five seconds.`);
        onDone();
    };
    return html`<${FormDialog}
        title="Settings of ${of.name}"
        action="Save the settings"
        wide
        onClose=${onClose}
        run=${save}
        disabled=${Boolean(wrong)}
    >
        <div class="grid3">
            ${NUMBERS.map(
                ([name, label, hint]) =>
                    html`<${Field} label=${label} hint=${hint}>
                        <input
                            type="number"
                            min="0"
                            value=${form[name]}
                            onInput=${(/** @type {any} */ event) => set(name, event.target.value)}
                        />
                    <//>`,
            )}
        </div>
        <label class="check">
            <input
                type="checkbox"
                checked=${form.allowPrivate}
                onChange=${(/** @type {any} */ event) => set("allowPrivate", event.target.checked)}
            />
            Actions and upstreams may call private networks
        </label>
        <${Field}
            label="Allowed networks"
            hint="Separated by commas, such as 10.1.2.0/24:443. Only these private networks may be called."
        >
            <input
                type="text"
                value=${form.allowNetworks}
                onInput=${(/** @type {any} */ event) => set("allowNetworks", event.target.value)}
            />
        <//>
        <${Field}
            label="Keys, upstreams and other settings, as JSON"
            hint=${OTHERS_HINT}
            error=${wrong || null}
        >
            <textarea
                class="mono"
                rows="10"
                spellcheck=${false}
                value=${form.others}
                onInput=${(/** @type {any} */ event) => set("others", event.target.value)}
            ></textarea>
        <//>
        <${Secrets}
            paths=${settings ? secretsOf(settings) : []}
            entered=${entered}
            enter=${(/** @type {string} */ key, /** @type {string} */ text) =>
                setEntered({ ...entered, [key]: text })}
        />
    <//>`;
}

/** @param {{names: string[], onClose: () => void, onDone: () => void}} props */
function NewDialog({ names, onClose, onDone }) {
    const [name, setName] = useState("");
    const create = async () => {
        if (names.includes(name.trim())) throw new Error(`The namespace ${name.trim()} exists already.`);
        await put(v1("namespaces", name.trim()), {});
        toast(`Namespace ${name.trim()} is created.`);
        onDone();
    };
    return html`<${FormDialog}
        title="New namespace"
        action="Create the namespace"
        onClose=${onClose}
        run=${create}
    >
        <p>
            A namespace has its own schedules, queues, gates, calendars and tokens. It cannot be deleted or
            renamed later.
        </p>
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

/** @param {any} value */
const limit = (value) =>
    value === undefined ? html`<span class="faint">default</span>` : value === 0 ? "none" : number(value);

/** Names of keys or upstreams. @param {{of: any, standard?: string}} props */
function Names({ of, standard }) {
    const names = Object.keys(of ?? {});
    if (names.length === 0) return html`<span class="faint">–</span>`;
    return names.map(
        (name, i) =>
            html`${i > 0 ? ", " : ""}<span>${name}</span>${of[name].type
                ? html` <span class="faint small">${of[name].type}</span>`
                : null}${name === standard ? html` <span class="faint small">default</span>` : null}`,
    );
}

/** @param {{of: any, onDone: () => void}} props */
function Row({ of, onDone }) {
    const [dialog, setDialog] = useState("");
    const [isOpen, setOpen] = useState(false);
    const { settings } = of;
    const isCurrent = of.name === (current() || "default");
    return html`<tr class=${isCurrent ? "row-chosen" : ""}>
            <th scope="row">
                ${of.name}${isCurrent ? html` <span class="faint small">shown now</span>` : null}
            </th>
            <td class="right num">${limit(settings.quotaSchedules)}</td>
            <td class="right num">${limit(settings.rateRead)}</td>
            <td class="right num">${limit(settings.rateWrite)}</td>
            <td><${Names} of=${settings.upstreams} standard=${settings.upstream} /></td>
            <td><${Names} of=${settings.keys} /></td>
            <td class="wide-only"><${Time} at=${of.createdAt} /></td>
            <td>
                <div class="actions table-actions">
                    <button
                        type="button"
                        class="small"
                        aria-expanded=${isOpen ? "true" : "false"}
                        onClick=${() => setOpen(!isOpen)}
                    >
                        All settings
                    </button>
                    <button type="button" class="small" onClick=${() => setDialog("edit")}>Edit</button>
                    ${isCurrent
                        ? null
                        : html`<button
                              type="button"
                              class="small"
                              onClick=${() => go([], { namespace: of.name === "default" ? null : of.name })}
                          >
                              Open
                          </button>`}
                </div>
                ${dialog
                    ? html`<${EditDialog} of=${of} onClose=${() => setDialog("")} onDone=${onDone} />`
                    : null}
            </td>
        </tr>
        ${isOpen
            ? html`<tr>
                  <td colspan="8"><${JsonView} value=${settings} label="Settings of ${of.name}" /></td>
              </tr>`
            : null}`;
}

export function Namespaces() {
    const [isNew, setNew] = useState(false);
    const list = useResource(
        "all namespaces",
        (abort) => getAll("/api/v1/namespaces", "namespaces", {}, MANY, abort),
        {
            every: 30_000,
            keep: true,
        },
    );
    const names = (list.data?.entries ?? []).map((/** @type {any} */ one) => one.name);
    return html`<${Head}
            title="Namespaces"
            sub="Separate sets of schedules in one server, each with its own settings."
        >
            <button type="button" onClick=${() => setNew(true)}>New namespace</button>
        <//>
        ${isNew
            ? html`<${NewDialog} names=${names} onClose=${() => setNew(false)} onDone=${list.reload} />`
            : null}
        <${Load} of=${list}>
            ${(/** @type {any} */ data) =>
                data.entries.length === 0
                    ? html`<${Empty} title="No namespace." />`
                    : html`<section class="card flush" aria-label="Namespaces">
                          <div class="scroll-x">
                              <table class="table">
                                  <thead>
                                      <tr>
                                          <th>Namespace</th>
                                          <th class="right">Schedules</th>
                                          <th class="right">Reads/min</th>
                                          <th class="right">Writes/min</th>
                                          <th>Upstreams</th>
                                          <th>Keys</th>
                                          <th class="wide-only">Created</th>
                                          <th><span class="hidden">Actions</span></th>
                                      </tr>
                                  </thead>
                                  <tbody>
                                      ${data.entries.map(
                                          (/** @type {any} */ one) =>
                                              html`<${Row}
                                                  key=${one.name}
                                                  of=${one}
                                                  onDone=${list.reload}
                                              />`,
                                      )}
                                  </tbody>
                              </table>
                          </div>
                          ${data.more
                              ? html`<p class="faint small pad">
                                    The first ${number(data.entries.length)} namespaces are shown; there are
                                    more.
                                </p>`
                              : null}
                      </section>`}
        <//>`;
}
