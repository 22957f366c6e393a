/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creating and editing a schedule.  The document is the only state; the form and the JSON view both
 * show it.  What it means comes from the server while typing.
 */
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { ApiError, request, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { go, guardLeaving, query, setQuery } from "../lib/router.js";
import { viewerZone } from "../lib/time.js";
import { plural } from "../lib/words.js";
import { Card, Dialog, Head, Load, Problem, Tabs, toast } from "../parts/basic.js";
import { ActionForm } from "../parts/editor-action.js";
import { differences, getIn, isPlain, loadDoc, parseDoc, printDoc, setIn } from "../parts/editor-doc.js";
import { CheckRow, PairsRow, Rest, TextRow } from "../parts/editor-fields.js";
import { JsonView } from "../parts/editor-json.js";
import { GovernorForm, PoliciesForm } from "../parts/editor-policies.js";
import { PreviewCard, useAsked, usePreview } from "../parts/editor-preview.js";
import { ConflictDialog, DiffCard } from "../parts/editor-save.js";
import { may } from "../parts/login.js";
import { SpecForm } from "../parts/editor-spec.js";

const KNOWN = ["id", "description", "labels", "enabled", "spec", "action", "policies", "governor"];

const fresh = () => ({
    spec: { cron: ["0 9 * * MON-FRI"], timezone: viewerZone },
    action: { type: "queue", queue: "default" },
});

/** @param {{segments: string[]}} props */
export function Editor({ segments }) {
    const id = segments[0] ?? "";
    const from = id ? "" : (query.value.from ?? "");
    /* What is edited does not change under the cursor: a new version shows when saving. */
    const begin = useResource(`edit ${id} ${from}`, async (abort) => {
        if (!id && !from) return { doc: fresh(), version: 0 };
        const loaded = await loadDoc(id || from, abort);
        return id ? loaded : { doc: { ...loaded.doc, id: `${from}-copy` }, version: 0 };
    });
    const first = useRef(/** @type {any} */ (null));
    const key = `${id} ${from}`;
    if (begin.data && first.current?.key !== key) first.current = { key, ...begin.data };
    if (first.current?.key === key)
        return html`<${DocumentEditor} key=${key} id=${id} begin=${first.current} />`;
    return html`<${Head} title=${id ? `Edit ${id}` : "New schedule"} />
        <${Load} of=${begin} rows=${8}>${() => null}<//>`;
}

/** The document as value and as text. @param {any} begin */
function useDocument(begin) {
    const [state, setState] = useState(() => ({
        doc: begin,
        text: /** @type {string | null} */ (null),
        syntax: /** @type {string | null} */ (null),
    }));
    const setDoc = (/** @type {any} */ next) =>
        setState((old) => ({
            doc: typeof next === "function" ? next(old.doc) : next,
            text: null,
            syntax: null,
        }));
    const setText = (/** @type {string} */ text) => {
        try {
            const doc = parseDoc(text);
            if (!isPlain(doc)) throw new SyntaxError("a schedule is an object: { … }");
            setState({ doc, text, syntax: null });
        } catch (error) {
            setState((old) => ({ ...old, text, syntax: /** @type {Error} */ (error).message }));
        }
    };
    return { ...state, text: state.text ?? printDoc(state.doc), setDoc, setText };
}

/**
 * All errors of the document, from the server: of the whole document, and of the spec with the
 * position in the text.
 * @param {any} doc @param {string} id @param {any} preview
 */
function useErrors(doc, id, preview) {
    const item = useMemo(() => ({ ...doc, id: (!id && doc.id) || id || "new" }), [doc]);
    const checked = useAsked("/api/v1/bulk/schedules/diff", { items: [item] });
    const result = checked.answer?.results?.[0];
    const errors = useMemo(() => {
        const found = (result?.errors ?? (result?.error ? [result.error] : [])).map(
            (/** @type {any} */ one) => ({
                field: (one.field ?? "").replace(/^items\[0\]\.?/, ""),
                message: one.message,
                at: null,
            }),
        );
        const { error } = preview;
        if (error?.field) {
            const same = found.find((/** @type {any} */ one) => one.field === error.field);
            if (same) same.at = error.at;
            else found.unshift({ field: error.field, message: error.message, at: error.at });
        }
        return found;
    }, [result, preview.error]);
    return { errors, changes: result?.changes ?? null, failed: checked.error };
}

/** @param {string} field */
function focusField(field) {
    const nodes = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-field]")]);
    const near = nodes
        .filter(
            ({ dataset }) =>
                field === dataset.field ||
                field.startsWith(`${dataset.field}.`) ||
                field.startsWith(`${dataset.field}[`),
        )
        .sort((a, b) => (b.dataset.field ?? "").length - (a.dataset.field ?? "").length)[0];
    (near ?? nodes.find(({ dataset }) => dataset.field?.startsWith(field)))?.focus();
}

/** @param {{errors: any[], invalid: Map<string, string>}} props */
function Errors({ errors, invalid }) {
    const all = [...[...invalid].map(([field, message]) => ({ field, message })), ...errors];
    if (all.length === 0) return null;
    return html`<section class="problem" aria-label="Errors">
        <p><strong>${plural(all.length, "error")}</strong></p>
        <ul class="bare-list">
            ${all.map(
                ({ field, message }) =>
                    html`<li>
                        <button type="button" class="link" onClick=${() => focusField(field)}>
                            <code>${field || "document"}</code></button
                        >${" "} ${message}
                    </li>`,
            )}
        </ul>
    </section>`;
}

/** @param {{form: import("../parts/editor-fields.js").Form, id: string, words: string}} props */
function FormView({ form, id, words }) {
    return html`<div class="stack">
        <${Card} title="What it is">
            <div class="form">
                <div class="grid2 tight">
                    ${id
                        ? null
                        : html`<${TextRow}
                              form=${form}
                              path=${["id"]}
                              label="Id"
                              placeholder="chosen by the server"
                              hint="The name of the schedule; it cannot change."
                          />`}
                    <${TextRow} form=${form} path=${["description"]} label="Description" />
                </div>
                <${PairsRow} form=${form} path=${["labels"]} label="Labels" add="Label" />
                <${CheckRow}
                    form=${form}
                    path=${["enabled"]}
                    label="Enabled"
                    hint="A disabled schedule has no slots."
                    usual
                />
            </div>
        <//>
        <${Card} title="When it runs">
            <p class="spec-inline" aria-hidden="true">${words}</p>
            <${SpecForm} form=${form} />
        <//>
        <${Card} title="What it does"><${ActionForm} form=${form} /><//>
        <${Card} title="Policies"><${PoliciesForm} form=${form} /><//>
        <${Card} title="Governor"><${GovernorForm} form=${form} /><//>
        <${Rest} value=${form.doc} known=${KNOWN} />
    </div>`;
}

/** Asks before unsaved changes are lost. @param {boolean} isDirty */
function useGuard(isDirty) {
    const [asked, setAsked] = useState(/** @type {{leave: () => void} | null} */ (null));
    useEffect(() => {
        if (!isDirty) return undefined;
        guardLeaving((leave) => setAsked({ leave }));
        const warn = (/** @type {Event} */ event) => event.preventDefault();
        addEventListener("beforeunload", warn);
        return () => {
            guardLeaving(null);
            removeEventListener("beforeunload", warn);
        };
    }, [isDirty]);
    return { leave: asked?.leave ?? null, stay: () => setAsked(null) };
}

/** @param {string} id @param {any} doc @param {number} version */
function save(id, doc, version) {
    if (id)
        return request("PUT", v1("schedules", id), {
            body: printDoc(doc),
            headers: { "If-Match": `"${version}"` },
        });
    const headers = { "Idempotency-Key": crypto.randomUUID?.() ?? `${Date.now()} ${Math.random()}` };
    return request("POST", "/api/v1/schedules", { body: printDoc(doc), headers });
}

/** @param {{id: string, begin: {doc: any, version: number}}} props */
function DocumentEditor({ id, begin }) {
    const [base, setBase] = useState(begin);
    const { doc, text, syntax, setDoc, setText } = useDocument(begin.doc);
    const [invalid, setInvalidMap] = useState(/** @type {Map<string, string>} */ (new Map()));
    const [problem, setProblem] = useState(/** @type {any} */ (null));
    const [conflict, setConflict] = useState(/** @type {any} */ (null));
    const [busy, setBusy] = useState(false);
    const [done, setDone] = useState(/** @type {any} */ (null));

    const view = query.value.view === "json" ? "json" : "form";
    const timezone = getIn(doc, ["spec", "timezone"]);
    const zone = typeof timezone === "string" && timezone ? timezone : "UTC";
    const preview = usePreview(getIn(doc, ["spec"]), id || doc.id);
    const { errors, changes, failed } = useErrors(doc, id, preview);
    const isChanged = differences(base.doc, doc).length > 0;
    const diff = useAsked(
        `${v1("schedules", id)}/plan-diff`,
        id && isChanged ? { document: doc, count: 100 } : undefined,
    );
    const guard = useGuard((isChanged || syntax !== null) && !done);

    useEffect(() => {
        if (done) go(["schedule", done.id]);
    }, [done]);

    const setInvalid = (/** @type {string} */ field, /** @type {string | null} */ message) =>
        setInvalidMap((old) => {
            if ((old.get(field) ?? null) === message) return old;
            const next = new Map(old);
            if (message === null) next.delete(field);
            else next.set(field, message);
            return next;
        });
    const submit = async () => {
        if (busy || syntax || invalid.size > 0 || !may("edit")) return;
        setBusy(true);
        setProblem(null);
        try {
            const saved = await save(id, doc, base.version);
            toast(id ? `Saved version ${saved.state.version} of ${saved.id}.` : `Created ${saved.id}.`);
            setDone(saved);
        } catch (error) {
            if (error instanceof ApiError && error.status === 412)
                setConflict(await loadDoc(id).catch(setProblem));
            else setProblem(error);
        }
        setBusy(false);
    };
    const submitRef = useRef(submit);
    submitRef.current = submit;
    useEffect(() => {
        const key = (/** @type {KeyboardEvent} */ event) => {
            if (
                event.key !== "Enter" ||
                !(event.ctrlKey || event.metaKey) ||
                document.querySelector("dialog[open]")
            )
                return;
            event.preventDefault();
            submitRef.current();
        };
        addEventListener("keydown", key);
        return () => removeEventListener("keydown", key);
    }, []);

    const form = {
        doc,
        zone,
        errors: [...[...invalid].map(([field, message]) => ({ field, message })), ...errors],
        setInvalid,
        set: (/** @type {any} */ path, /** @type {any} */ value) =>
            setDoc((/** @type {any} */ old) => setIn(old, path, value)),
    };
    return html`<${Head}
            title=${id ? `Edit ${id}` : "New schedule"}
            sub=${id ? `Version ${base.version}${isChanged ? ", changed" : ""}` : null}
        >
            <${Tabs}
                label="View of the document"
                tabs=${[
                    ["form", "Form"],
                    ["json", "JSON"],
                ]}
                chosen=${view}
                onChoose=${(/** @type {string} */ name) =>
                    setQuery({ view: name === "json" ? "json" : null }, { replace: true })}
            />
            <button type="button" onClick=${() => (id ? go(["schedule", id]) : go(["schedules"]))}>
                Cancel
            </button>
            ${!may("edit")
                ? null
                : html`<button
                      type="button"
                      class="primary"
                      title="Ctrl+Enter"
                      disabled=${busy || syntax !== null || invalid.size > 0 || (Boolean(id) && !isChanged)}
                      onClick=${submit}
                  >
                      ${id ? "Save" : "Create"}
                  </button>`}
        <//>
        ${!may("edit") ? html`<p class="note">Your role may look at documents, but not save them.</p>` : null}
        ${problem ? html`<${Problem} error=${problem} />` : null}
        ${failed && failed.status !== 0 ? html`<${Problem} error=${failed} />` : null}
        ${view === "json"
            ? html`<${JsonView}
                  doc=${doc}
                  text=${text}
                  syntax=${syntax}
                  onTyped=${setText}
                  errors=${errors}
              />`
            : null}
        <div class="editor ${view}">
            ${view === "json"
                ? null
                : syntax
                  ? html`<div class="problem">
                        <p>The text is not JSON: ${syntax}. Correct it in the JSON view.</p>
                    </div>`
                  : html`<${FormView} form=${form} id=${id} words=${preview.answer?.description ?? ""} />`}
            <div class="editor-side">
                ${view === "json" ? null : html`<${Errors} errors=${errors} invalid=${invalid} />`}
                ${id && isChanged
                    ? html`<${DiffCard} asked=${diff} changes=${changes} zone=${zone} />`
                    : null}
                <${PreviewCard} preview=${preview} zone=${zone} />
            </div>
        </div>
        ${guard.leave
            ? html`<${Dialog} title="Leave without saving?" onClose=${guard.stay}>
                  <p>Your changes of ${id || "the new schedule"} are not saved.</p>
                  <div class="dialog-foot">
                      <button type="button" autofocus onClick=${guard.stay}>Stay</button>
                      <button type="button" class="danger" onClick=${guard.leave}>Discard the changes</button>
                  </div>
              <//>`
            : null}
        ${conflict
            ? html`<${ConflictDialog}
                  base=${base.doc}
                  mine=${doc}
                  theirs=${conflict.doc}
                  by=${conflict.state.updatedBy}
                  version=${conflict.version}
                  onClose=${() => setConflict(null)}
                  onMerge=${(/** @type {any} */ merged) => {
                      setBase(conflict);
                      setDoc(merged);
                      setConflict(null);
                  }}
                  onTheirs=${() => {
                      setBase(conflict);
                      setDoc(conflict.doc);
                      setConflict(null);
                  }}
              />`
            : null}`;
}
