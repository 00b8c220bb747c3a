/** What a load records of streams that a raw TCP server sends: limits of time, broken ends, content at once, usage. */

import { createServer, type Server, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { loadToEnd } from "../../support/commands/load-to-end.ts";
import { recordsOf } from "../../support/results/read-results.ts";
import { closed, listenOnLoopback } from "../../support/targets/loopback-server.ts";

const STALL_MS = 1_000;
const GAP_MS = 50;

const event = (members: object): string => `data: ${JSON.stringify(members)}\n\n`;
const delta = (members: object): string => event({ choices: [{ index: 0, delta: members }] });
const token = (content: string): string => delta({ content });
const DONE = "data: [DONE]\n\n";
const USAGE = event({
  choices: [],
  usage: { prompt_tokens: 7, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 } },
});

const head = (type: string): string => `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const STREAM = head("text/event-stream");
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const END = "0\r\n\r\n";

type Step = string | number | "reset";
const RESET = "reset";

/** The responses, in order: texts are written, numbers are pauses in milliseconds; and what their records have in common. */
const RESPONSES: readonly (readonly [name: string, steps: readonly Step[], record: Partial<RequestRecord>])[] = [
  [
    "a first byte after the stall limit",
    [STREAM, STALL_MS * 1.5, chunk(token("a")), GAP_MS, chunk(token("b") + DONE), END],
    { outcome: "ok", chunks: 2 },
  ],
  ["silence within the stream", [STREAM, chunk(token("a")), STALL_MS * 10], { outcome: "stalled", chunks: 1 }],
  [
    "reasoning, and usage that counts it",
    [
      STREAM,
      chunk(delta({ reasoning_content: "hm" })),
      GAP_MS,
      chunk(token("a")),
      GAP_MS,
      chunk(token("b") + USAGE + DONE),
      END,
    ],
    { outcome: "ok", chunks: 2, input_tokens: 7, output_tokens: 5, reasoning_tokens: 3, ttlt_any: expect.any(Number) },
  ],
  [
    "content at once",
    [STREAM, GAP_MS, chunk(token("a").repeat(300) + DONE) + END],
    { outcome: "ok", chunks: 300, flags: ["buffered"] },
  ],
  ["no content", [STREAM, chunk(DONE), END], { outcome: "ok", chunks: 0, flags: ["empty"] }],
  [
    "[DONE] in a named event",
    [STREAM, chunk(`event: ping\n${DONE}`), GAP_MS, chunk(token("a") + DONE), END],
    { outcome: "ok", chunks: 1, done_seen: true },
  ],
  [
    "an error in JSON lines",
    [head("application/x-ndjson"), chunk('{"token":"a"}\n'), GAP_MS, chunk('{"error":"overloaded"}\n'), END],
    { outcome: "error_frame", format: "json-lines" },
  ],
  ["a reset within the trailer", [STREAM, chunk(token("a") + DONE), "0\r\nX-", GAP_MS, RESET], { outcome: "reset" }],
];

/** Writes a response; the client may leave before its end. */
async function respond(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (typeof step === "number") await setTimeout(step, undefined, { ref: false });
    else if (step === RESET) socket.resetAndDestroy();
    else socket.write(step);
  }
}

const isWhole = (request: string): boolean => {
  const [headers = "", body] = request.split("\r\n\r\n");
  const length = Number(/^content-length: (\d+)/im.exec(headers)?.[1] ?? 0);
  return body !== undefined && Buffer.byteLength(body) >= length;
};

let server: Server;
let url: string;
beforeAll(async () => {
  let served = 0;
  server = createServer((socket) => {
    let request = "";
    socket.on("error", () => socket.destroy());
    socket.on("data", (data) => {
      request += data.toString();
      if (!isWhole(request)) return;
      // Of the check of the target before a run.
      const isTrial = request.endsWith("\r\n\r\n{}");
      request = "";
      if (isTrial) return void socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
      const [, steps = []] = RESPONSES[served] ?? [];
      served += 1;
      void respond(socket, steps);
    });
  });
  url = await listenOnLoopback(server);
});
afterAll(() => closed(server));

test("streams are recorded as they came", async () => {
  const shape = ["--vus", "1", "--max-requests", String(RESPONSES.length), "--warmup", "0", "--duration", "60s"];
  const { folder } = await loadToEnd("chat-stream", url, [
    ...shape,
    "--set",
    `stall=${STALL_MS}ms`,
    "--set",
    "timeout=30s",
  ]);
  const records = recordsOf(folder);
  expect(records.map((record, index) => [RESPONSES[index]?.[0], record])).toEqual(
    RESPONSES.map(([name, , record]) => [name, expect.objectContaining(record)]),
  );
});
