/* SPDX-License-Identifier: Apache-2.0 */
/* One call of Belfry's HTTP API, on kept connections. */
import http from "node:http";

export function post(agent, port, path, value) {
    const body = Buffer.from(JSON.stringify(value));
    const headers = { "content-type": "application/json", "content-length": body.length };
    return new Promise((resolve, reject) => {
        const options = { agent, host: "127.0.0.1", port, path, method: "POST", headers };
        const request = http.request(options, (response) => {
            const chunks = [];
            response.on("data", (chunk) => chunks.push(chunk));
            response.on("error", reject);
            response.on("end", () => {
                const text = Buffer.concat(chunks).toString();
                if (response.statusCode >= 300) {
                    reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 300)}`));
                } else {
                    resolve(JSON.parse(text));
                }
            });
        });
        request.on("error", reject);
        request.end(body);
    });
}
