/** What one client sends to the mock ends no more than its own exchange, and the first stop ends the mock. */

import { connect } from "node:net";
import { expect, test } from "vitest";
import { PATHS } from "../../contract/service.ts";
import { mockFor, send } from "../../tests/support/targets/mock-client.ts";
import { exchangeRaw, sendRaw } from "../../tests/support/targets/raw-proxy.ts";

const BODY = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] });
const chat = (headers = "", version = "1.1", host = "Host: localhost\r\n"): string =>
  `POST ${PATHS.chat} HTTP/${version}\r\n${host}Authorization: Bearer k\r\n` +
  `Content-Length: ${BODY.length}\r\n${headers}\r\n${BODY}`;
const HOUR_MS = 3_600_000;
const CLOSE = "Connection: close\r\n";

test.each([
  ["HTTP/1.0 that announces trailers", chat("TE: trailers\r\n", "1.0"), 200],
  ["HTTP/1.0 without a host", chat("", "1.0", ""), 200],
  ["names of members of objects as headers", chat(`constructor: 1\r\n__proto__: 2\r\n${CLOSE}`), 200],
  [
    "two User-Agent, Authorization and Content-Type",
    chat(`User-Agent: a\r\nUser-Agent: b\r\nAuthorization: c\r\nContent-Type: a\r\nContent-Type: b\r\n${CLOSE}`),
    200,
  ],
  ["its length named in Connection", chat("Connection: content-length, host, close\r\n"), 200],
  ["an Upgrade to HTTP/2", chat("Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nConnection: Upgrade, close\r\n"), 200],
  ["an ftp URL", `GET ftp://localhost/v1 HTTP/1.1\r\nHost: localhost\r\n${CLOSE}\r\n`, 404],
  ["a target that is no path", `OPTIONS * HTTP/1.1\r\nHost: localhost\r\n${CLOSE}\r\n`, 404],
  ["a URL without a path", `GET http://localhost?a=1 HTTP/1.1\r\nHost: localhost\r\n${CLOSE}\r\n`, 404],
  ["no host", `GET / HTTP/1.1\r\n${CLOSE}\r\n`, 404],
  ["a control byte in a header", `GET / HTTP/1.1\r\nHost: localhost\r\nX: a\u0001\r\n\r\n`, 400],
  ["a request id of control bytes and markup", chat(`X-Request-Id: \u00ff<b>"\r\n${CLOSE}`), 200],
])("a client that sends %s", async (_, bytes, status) => {
  const mock = await mockFor();
  expect(await exchangeRaw(mock.port, bytes)).toMatch(`HTTP/1.1 ${status} `);
  expect((await send(mock, { path: "/_mock/state" })).status).toBe(200);
});

test.each([
  ["an idle connection", chat(), /\r\n0\r\n\r\n$/],
  ["half a head", "GET /half HTTP/1.1\r\nHo", undefined],
  ["half a body", chat().slice(0, -9), undefined],
  ["a stream on its way", chat(), /data: /],
  ["many streams that nobody reads", chat().repeat(50), undefined],
])("the first stop ends the mock with %s", async (_, bytes, until) => {
  const mock = await mockFor(until?.source === "data: " ? { itlMs: HOUR_MS } : {});
  if (until !== undefined) await sendRaw(mock.port, bytes, until);
  else {
    const socket = connect(mock.port, "127.0.0.1").on("error", () => undefined);
    await new Promise((resolve) => socket.write(bytes, resolve));
    expect((await send(mock, { path: "/_mock/state" })).status).toBe(200);
  }
  await mock.stop();
});
