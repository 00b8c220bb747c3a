/** A closed loop does not send thousands of requests per second to a target that breaks every connection. */

import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wholeLines } from "../../../cli/file-lines.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { closed, listenOnLoopback } from "../../support/targets/loopback-server.ts";

const server = createServer((socket) => {
  socket.on("error", () => undefined).once("data", () => socket.resetAndDestroy());
});
let url: string;
beforeAll(async () => {
  url = await listenOnLoopback(server);
});
afterAll(() => closed(server));

const USERS = 4;
const LOAD = ["--vus", String(USERS), "--warmup", "0", "--duration", "2s", "--set", "drain=1s"];

test.concurrent.each([
  ["whose request is handed over", []],
  ["that waits for the response, as in a conversation,", ["--turns", "2"]],
])("each virtual user %s pauses longer and longer, up to a second", async (_, flags) => {
  const folder = join(newFolder(), "run");
  const { code, stderr } = await assay(["load", "chat", "--target", url, "--out", folder, ...LOAD, ...flags]);
  const sent = wholeLines(join(folder, "records.jsonl")).filter((line) => line.includes('"op":"chat"'));
  // 10 + 20 + 40 + … + 640 ms take 1.3 s, and one of 1 s more than the rest.
  expect(sent.length, stderr).toBeLessThanOrEqual(USERS * 9);
  expect(sent.length).toBeGreaterThanOrEqual(USERS * 2);
  expect(code).toBe(1);
});
