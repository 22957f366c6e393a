// SPDX-License-Identifier: Apache-2.0
//
// Requests of the tests to the server.

export class Api {
    constructor(url, token = null) {
        this.url = url;
        this.token = token;
    }

    // The body of the answer; an error if the status is not a success, or not `status`.
    async send(method, path, body, status = null) {
        const headers = { 'Content-Type': 'application/json' };
        if (this.token) headers.Authorization = `Bearer ${this.token}`;
        const answer = await fetch(`${this.url}${path}`, {
            method,
            headers,
            body: body === undefined ? undefined : JSON.stringify(body),
        });
        const text = await answer.text();
        if (status === null ? !answer.ok : answer.status !== status)
            throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
        return text === '' ? null : JSON.parse(text);
    }

    get(path) {
        return this.send('GET', path);
    }

    post(path, body) {
        return this.send('POST', path, body);
    }
}
