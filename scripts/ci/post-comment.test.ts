import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../../tests/support/loopback-server.ts";
import { InconclusiveError } from "../cli/exit-codes.ts";
import { postComment } from "./post-comment.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-comment-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const event = join(folder, "event.json");
writeFileSync(event, JSON.stringify({ pull_request: { number: 7 } }));

const MIB = Buffer.alloc(1 << 20, "[");
function endless(response: ServerResponse): void {
  while (response.write(MIB));
  response.once("drain", () => endless(response));
}

test.each<[string, string, (response: ServerResponse) => void]>([
  ["a page of HTML", "returned no list of comments", (response) => response.end("<html>")],
  ["ids that are none", "returned no list of comments", (response) => response.end('[{"id":"../x","body":"<!--"}]')],
  ["another address", "returned 302", (response) => response.writeHead(302, { location: "http://127.0.0.1:9" }).end()],
  ["no end", "longer than 64 MiB", endless],
])("an API that returns %s gets no comment, and is named", async (_, reason, answer) => {
  const requests: (string | undefined)[] = [];
  const server = createServer(({ method }, response) => {
    requests.push(method);
    answer(response);
  });
  onTestFinished(() => void server.close().closeAllConnections());
  const env = { GITHUB_EVENT_PATH: event, GITHUB_REPOSITORY: "o/r", GITHUB_TOKEN: "token" };
  const posted = postComment("<!-- a -->\n", { ...env, GITHUB_API_URL: await listenOnLoopback(server) });
  await expect(posted).rejects.toThrow(InconclusiveError);
  await expect(posted).rejects.toThrow(reason);
  expect(requests).toEqual(["GET"]);
});

test("an event that is no file is named, and not waited for", async () => {
  const fifo = join(folder, "fifo");
  spawnSync("sh", ["-c", 'mkfifo "$0"', fifo]);
  await expect(postComment("<!-- a -->", { GITHUB_EVENT_PATH: fifo })).rejects.toThrow("it is a pipe or a device");
});
