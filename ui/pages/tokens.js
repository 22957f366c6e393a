/* SPDX-License-Identifier: Apache-2.0 */
/* Access tokens: list, create, revoke.  The text of a new one is shown once and kept nowhere. */
import { html, useState } from "../lib/html.js";
import { del, getAll, namespace, post, request, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { ms } from "../lib/time.js";
import { number } from "../lib/words.js";
import {
    CopyLine,
    Dialog,
    Empty,
    Field,
    FormDialog,
    Head,
    Load,
    Time,
    toast,
    useNow,
} from "../parts/basic.js";
import { me } from "../parts/login.js";

const MANY = 5000;
const SOON_MS = 7 * 86_400_000;

/** Roles and what they may do. */
const ROLES = /** @type {Array<[string, string]>} */ ([
    ["viewer", "sees everything"],
    ["operator", "also pauses, triggers, cancels, approves"],
    ["editor", "also creates, changes and deletes schedules"],
    ["admin", "also manages tokens and reads the audit log"],
    ["worker", "only claims runs and reports on them"],
    ["viewer+worker", "viewer and worker"],
    ["operator+worker", "operator and worker"],
    ["editor+worker", "editor and worker"],
]);

const ENDS = /** @type {Array<[string, string]>} */ ([
    ["", "Never"],
    ["1d", "In a day"],
    ["7d", "In a week"],
    ["30d", "In 30 days"],
    ["90d", "In 90 days"],
    ["365d", "In a year"],
]);

/**
 * The first token closes the server to everybody without one; this browser logs in with it.
 * @param {string} text
 */
async function logIn(text) {
    me.value = await request("POST", "/api/v1/session", { headers: { Authorization: `Bearer ${text}` } });
}

/** @param {{made: any, isFirst: boolean, onClose: () => void}} props */
function MadeDialog({ made, isFirst, onClose }) {
    const where = made.namespace === "*" ? "all namespaces" : `the namespace ${made.namespace}`;
    const scope = `Role ${made.role} in ${where}`;
    return html`<${Dialog} title="Token ${made.name}" onClose=${onClose}>
        <p class="note">Copy the token now. It is shown this once; the server keeps only a hash of it.</p>
        <${CopyLine} text=${made.token} />
        <p class="muted">
            ${scope}${made.expiresAt ? html`, until <${Time} at=${made.expiresAt} />` : ""}.
        </p>
        ${isFirst
            ? html`<p>
                  From now on every client needs a token. This browser is logged in with the new one for 12
                  hours.
              </p>`
            : null}
        <div class="dialog-foot">
            <button type="button" class="primary" onClick=${onClose}>I have copied it</button>
        </div>
    <//>`;
}

/** @param {{isFirst: boolean, onClose: () => void, onMade: (made: any) => void}} props */
function NewDialog({ isFirst, onClose, onMade }) {
    const own = namespace() || "default";
    const [form, setForm] = useState({
        name: "",
        role: isFirst ? "admin" : "viewer",
        namespace: isFirst ? "*" : own,
        expiresIn: "",
    });
    const set = (/** @type {string} */ name) => (/** @type {any} */ event) =>
        setForm({ ...form, [name]: event.target.value });
    const create = async () => {
        const made = await post("/api/v1/tokens", {
            name: form.name.trim(),
            role: form.role,
            namespace: form.namespace,
            ...(form.expiresIn ? { expiresIn: form.expiresIn } : {}),
        });
        if (isFirst) await logIn(made.token);
        onMade(made);
    };
    return html`<${FormDialog} title="New token" action="Create the token" onClose=${onClose} run=${create}>
        ${isFirst
            ? html`<p class="note">
                  This is the first token: an administrator of all namespaces that never expires. From then
                  on, every client needs a token, also on this machine.
              </p>`
            : null}
        <${Field} label="Name" hint="Who or what uses it. It appears in the audit log.">
            <input type="text" required autocomplete="off" value=${form.name} onInput=${set("name")} />
        <//>
        ${isFirst
            ? null
            : html`<${Field} label="Role">
                      <select value=${form.role} onChange=${set("role")}>
                          ${ROLES.map(
                              ([role, words]) => html`<option value=${role}>${role}: ${words}</option>`,
                          )}
                      </select>
                  <//>
                  <${Field} label="Namespace">
                      <select value=${form.namespace} onChange=${set("namespace")}>
                          <option value=${own}>${own}</option>
                          ${(me.value?.namespace ?? "*") === "*"
                              ? html`<option value="*">all namespaces</option>`
                              : null}
                      </select>
                  <//>
                  <${Field} label="Expires">
                      <select value=${form.expiresIn} onChange=${set("expiresIn")}>
                          ${ENDS.map(([value, words]) => html`<option value=${value}>${words}</option>`)}
                      </select>
                  <//>`}
    <//>`;
}

/** @param {{token: any, onClose: () => void, onDone: () => void}} props */
function RevokeDialog({ token, onClose, onDone }) {
    const isOwn = me.value?.name === token.name;
    const revoke = async () => {
        await del(v1("tokens", token.id));
        toast(`Token ${token.name} is revoked.`);
        onDone();
    };
    return html`<${FormDialog}
        title="Revoke the token ${token.name}?"
        action="Revoke the token"
        tone="danger"
        onClose=${onClose}
        run=${revoke}
    >
        <p>
            Clients that use it are denied at once, and browsers that logged in with it are logged out. This
            cannot be undone.
        </p>
        ${isOwn
            ? html`<p class="note">You are logged in as ${token.name}: this may be your own token.</p>`
            : null}
    <//>`;
}

/** @param {{at: string | null, now: number}} props */
function Expiry({ at, now }) {
    if (!at) return html`<span class="faint">never</span>`;
    const left = ms(at) - now;
    return html`<span class=${left < 0 ? "tone-text-bad" : left < SOON_MS ? "tone-text-late" : ""}
        >${left < 0 ? "expired " : ""}<${Time} at=${at} relative
    /></span>`;
}

/** @param {{token: any, now: number, onDone: () => void}} props */
function Row({ token, now, onDone }) {
    const [isOpen, setOpen] = useState(false);
    return html`<tr>
        <th scope="row">${token.name}</th>
        <td>${token.role}</td>
        <td>${token.namespace === "*" ? html`<span class="muted">all</span>` : token.namespace}</td>
        <td><${Time} at=${token.createdAt} /> <span class="faint small">by ${token.createdBy}</span></td>
        <td><${Time} at=${token.lastUsedAt} relative none="never" /></td>
        <td><${Expiry} at=${token.expiresAt} now=${now} /></td>
        <td><code>${token.id}</code></td>
        <td>
            <div class="actions table-actions">
                <button type="button" class="small" onClick=${() => setOpen(true)}>Revoke</button>
            </div>
            ${isOpen
                ? html`<${RevokeDialog} token=${token} onClose=${() => setOpen(false)} onDone=${onDone} />`
                : null}
        </td>
    </tr>`;
}

/** @param {{list: any, now: number, reload: () => void}} props */
function Table({ list, now, reload }) {
    if (list.entries.length === 0)
        return html`<section class="card">
            <${Empty} title="No token yet.">
                <p>
                    Until the first token exists, clients on this machine have full access and others have
                    none.
                </p>
            <//>
        </section>`;
    return html`<section class="card flush" aria-label="Tokens">
        <div class="scroll-x">
            <table class="table">
                <thead>
                    <tr>
                        <th>Name</th>
                        <th>Role</th>
                        <th>Namespace</th>
                        <th>Created</th>
                        <th>Last used</th>
                        <th>Expires</th>
                        <th>Id</th>
                        <th><span class="hidden">Actions</span></th>
                    </tr>
                </thead>
                <tbody>
                    ${list.entries.map(
                        (/** @type {any} */ token) =>
                            html`<${Row} key=${token.id} token=${token} now=${now} onDone=${reload} />`,
                    )}
                </tbody>
            </table>
        </div>
        ${list.more
            ? html`<p class="faint small pad">
                  The first ${number(list.entries.length)} tokens are shown; there are more.
              </p>`
            : null}
    </section>`;
}

export function Tokens() {
    const now = useNow();
    const [isNew, setNew] = useState(false);
    const [made, setMade] = useState(/** @type {any} */ (null));
    const list = useResource(
        `tokens ${namespace()}`,
        (abort) => getAll("/api/v1/tokens", "tokens", {}, MANY, abort),
        {
            every: 30_000,
            keep: true,
        },
    );
    const isFirst = list.data !== undefined && list.data.entries.length === 0 && me.value?.name === "local";
    const onMade = (/** @type {any} */ token) => {
        setMade({ token, isFirst });
        list.reload();
    };
    return html`<${Head} title="Tokens" sub="Who may use this server, and for what.">
            <button type="button" disabled=${list.data === undefined} onClick=${() => setNew(true)}>
                New token
            </button>
        <//>
        ${isNew
            ? html`<${NewDialog} isFirst=${isFirst} onClose=${() => setNew(false)} onMade=${onMade} />`
            : null}
        ${made
            ? html`<${MadeDialog}
                  made=${made.token}
                  isFirst=${made.isFirst}
                  onClose=${() => setMade(null)}
              />`
            : null}
        <${Load} of=${list}
            >${(/** @type {any} */ data) =>
                html`<${Table} list=${data} now=${now} reload=${list.reload} />`}<//
        >`;
}
