/** One load meets every outcome that a target can cause over plain HTTP, and records each as what it was. */

import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { OUTCOMES, type Outcome } from "../../../formats/outcomes.ts";
import { FEW_UNITS, type Loaded, loadToEnd } from "../../support/commands/load-to-end.ts";
import { recordsOf } from "../../support/results/read-results.ts";
import { closed, listenOnLoopback } from "../../support/targets/loopback-server.ts";

const event = (content: string, finish?: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish ?? null }] })}\n\n`;
const STREAM = { "content-type": "text/event-stream" };
const begin = (response: ServerResponse): ServerResponse => response.writeHead(200, STREAM);

/** How the target ends a stream, by what comes of it. */
const ENDINGS: Readonly<Partial<Record<Outcome, (response: ServerResponse) => unknown>>> = {
  // The first, since it takes the longest on a busy machine.
  too_large: (response) => begin(response).end(`data: ${"x".repeat(9 << 20)}\n\n`),
  timeout: () => undefined,
  stalled: (response) => begin(response).write(event("a")),
  ok: (response) => begin(response).end(`${event("a")}${event("b", "stop")}data: [DONE]\n\n`),
  http_error: (response) => response.writeHead(500).end(),
  rate_limited: (response) => response.writeHead(429, { "retry-after": "1" }).end(),
  error_frame: (response) => begin(response).end(`${event("a")}data: {"error":{"message":"out of memory"}}\n\n`),
  truncated: (response) => begin(response).write(event("a"), () => response.socket?.end()),
  no_done: (response) => begin(response).end(event("a")),
  reset: (response) => begin(response).write(event("a"), () => response.socket?.resetAndDestroy()),
  malformed: (response) => begin(response).end("data: {\n\n"),
  contract: (response) => begin(response).end('data: {"choices":"none"}\n\ndata: [DONE]\n\n'),
};
const KINDS = Object.keys(ENDINGS);

/** `left` needs a client that leaves, `tls` a certificate, `client_error` a faulty machine: leaving-clients.test.ts, and the tests in Go. */
const OTHERS: readonly Outcome[] = ["left", "tls", "client_error"];

let loaded: Loaded;
/** What each request of the load should come to, by its id. */
const sent = new Map<string, string>();

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    if ((await text(request)) === "{}") return void response.writeHead(400).end();
    const kind = KINDS[sent.size];
    sent.set(String(request.headers["x-request-id"]), kind ?? "cancelled_by_us");
    if (kind !== undefined) ENDINGS[kind as Outcome]?.(response);
    // It is still open at the end of the load, and the next finds nobody.
    else void closed(server);
  });
  const target = await listenOnLoopback(server);
  const limits = ["stall=500ms", "timeout=1s", "drain=200ms"].flatMap((limit) => ["--set", limit]);
  loaded = await loadToEnd("chat-stream", target, [
    ...["--rate", "10", "--duration", "2s", "--warmup", "0", "--max-in-flight", "20", ...FEW_UNITS],
    ...limits,
  ]);
});

test("each request has the outcome that the target caused", () => {
  const recorded = new Map(recordsOf(loaded.folder).map(({ id, outcome }) => [id, outcome]));
  for (const [id, outcome] of sent) expect([id, recorded.get(id)]).toEqual([id, outcome]);
  expect([...recorded.values()].filter((outcome) => outcome === "refused").length).toBeGreaterThan(0);
});

test("there is no other outcome", () => {
  const seen = new Set(recordsOf(loaded.folder).map(({ outcome }) => outcome));
  expect([...seen, ...OTHERS].sort()).toEqual([...OUTCOMES].sort());
  expect(loaded.code).not.toBe(3);
});
