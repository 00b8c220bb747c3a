import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { serveInTest } from "../../tests/support/targets/serve-in-test.ts";
import { postComment } from "./post-comment.ts";

const folder = newFolder();

const event = join(folder, "event.json");
writeFileSync(event, '{"pull_request": {"number": 17}}');
const fifo = join(folder, "fifo");
spawnSync("sh", ["-c", 'mkfifo "$0"', fifo]);
const NOBODY = "http://127.0.0.1:9";
const jobOf = (api: string, more = {}) => ({
  GITHUB_API_URL: api,
  GITHUB_REPOSITORY: "team/service",
  GITHUB_EVENT_PATH: event,
  GITHUB_TOKEN: "token-of-the-comment",
  ...more,
});

const MIB = Buffer.alloc(1 << 20, "[");
function endless(response: ServerResponse): void {
  while (response.write(MIB));
  response.once("drain", () => endless(response));
}

test.each<[string, string, (response: ServerResponse) => void]>([
  ["fails", "returned 500, upstream is down.", (response) => response.writeHead(500).end("upstream is down")],
  ["returns a page of HTML", "returned no list of comments", (response) => response.end("<html>")],
  ["returns another document", "returned no list of comments", (response) => response.end('{"message": "moved"}')],
  ["has odd ids", "returned no list of comments", (response) => response.end('[{"id":"../x","body":"<!--"}]')],
  ["is elsewhere", "returned 302", (response) => response.writeHead(302, { location: NOBODY }).end()],
  ["never ends", "longer than 64 MiB", endless],
])("an API that %s gets no comment, and is named", async (_, reason, answer) => {
  const requests: (string | undefined)[] = [];
  const server = createServer(({ method }, response) => {
    requests.push(method);
    answer(response);
  });
  const posted = postComment("<!-- a -->\n", jobOf(await serveInTest(server)));
  await expect(posted).rejects.toMatchObject({ name: "InconclusiveError", message: expect.stringContaining(reason) });
  expect(requests).toEqual(["GET"]);
});

test("an API that cannot be reached is a sentence, and no verdict", async () => {
  const posted = postComment("<!-- a -->\n", jobOf(NOBODY));
  await expect(posted).rejects.toMatchObject({
    name: "InconclusiveError",
    message: expect.stringContaining("failed: "),
  });
});

test.each([
  ["a job of no pull request", { GITHUB_EVENT_PATH: undefined }, "this is not a pull request"],
  ["an event file that is gone", { GITHUB_EVENT_PATH: join(folder, "gone.json") }, "Cannot read the event of this job"],
  ["an event that is a pipe", { GITHUB_EVENT_PATH: fifo }, "it is a pipe or a device"],
  ["a job without a token", { GITHUB_TOKEN: "" }, "GITHUB_TOKEN is not set"],
])("%s is a usage error", async (_, env, sentence) => {
  const posted = postComment("<!-- a -->\n", jobOf(NOBODY, env));
  await expect(posted).rejects.toMatchObject({ name: "UsageError", message: expect.stringContaining(sentence) });
});
