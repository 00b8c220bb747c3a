/** What chats ask for, as the target receives it, and the tokens that the records and reports of the run hold. */

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newFolder } from "../support/assay-process.ts";
import { loadToEnd } from "../support/load-to-end.ts";
import { listenOnLoopback } from "../support/loopback-server.ts";
import { recordsOf } from "../support/read-results.ts";

/** Bodies of the requests that the target received. */
let received: unknown[] = [];
let server: Server;
let url: string;

const event = (members: object): string => `data: ${JSON.stringify(members)}\n\n`;
const STREAM = `${event({ choices: [{ index: 0, delta: { content: "a" } }] })}${event({
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
})}data: [DONE]\n\n`;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    if (text !== "") received.push(JSON.parse(text));
    response.writeHead(200, { "content-type": "text/event-stream" }).end(STREAM);
  });
  url = await listenOnLoopback(server);
});
beforeEach(() => {
  received = [];
});
afterAll(() => void server.close());

const SHAPE = ["--vus", "1", "--max-requests", "3", "--warmup", "0", "--duration", "20s", "--max-tokens", "77"];

test("streamed chats ask for usage, and have the further members of a file", async () => {
  const file = join(newFolder(), "extra.json");
  writeFileSync(file, '{\n  "ignore_eos": true\n}\n');
  const { run, folder } = await loadToEnd("chat-stream", url, [...SHAPE, "--extra-body", file]);
  const expected = { max_tokens: 77, stream: true, stream_options: { include_usage: true }, ignore_eos: true };
  expect(received).toEqual([expected, expected, expected].map((members) => expect.objectContaining(members)));
  expect(run.settings).toMatchObject({ extraBody: { ignore_eos: true } });
  for (const record of recordsOf(folder)) {
    expect(record).toMatchObject({ max_tokens: 77, output_tokens: 2, token_source: "usage" });
  }
});

test("streamed chats do not ask for usage with --no-usage", async () => {
  const { run } = await loadToEnd("chat-stream", url, [...SHAPE, "--no-usage", "--extra-body", '{"top_k":1}']);
  expect(received).toHaveLength(3);
  for (const body of received) {
    expect(body).not.toHaveProperty("stream_options");
    expect(body).toHaveProperty("top_k", 1);
  }
  expect(run.settings).toMatchObject({ noUsage: true, extraBody: { top_k: 1 } });
});
