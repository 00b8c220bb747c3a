import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../../tests/support/loopback-server.ts";
import { postComment } from "./post-comment.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-comment-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const event = join(folder, "event.json");
writeFileSync(event, '{"pull_request": {"number": 17}}');
const jobOf = (api: string, more = {}) => ({
  GITHUB_API_URL: api,
  GITHUB_REPOSITORY: "team/service",
  GITHUB_EVENT_PATH: event,
  GITHUB_TOKEN: "token-of-the-comment",
  ...more,
});

async function startApi(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  onTestFinished(() => void server.close().closeAllConnections());
  return listenOnLoopback(server);
}

test.each([
  ["fails", 500, "upstream is down", "returned 500, upstream is down."],
  ["is a page", 200, "<html>", "returned no list of comments. Check that the address is that of the API."],
  ["returns another document", 200, '{"message": "moved"}', "returned no list of comments."],
])("an API that %s is a sentence, and no verdict", async (_, status, body, sentence) => {
  const url = await startApi((_request, response) => void response.writeHead(status).end(body));
  const posted = postComment("<!-- a -->\n", jobOf(url));
  await expect(posted).rejects.toMatchObject({ name: "InconclusiveError", message: expect.stringContaining(sentence) });
});

test("an API that cannot be reached is a sentence, and no verdict", async () => {
  const posted = postComment("<!-- a -->\n", jobOf("http://127.0.0.1:9"));
  await expect(posted).rejects.toMatchObject({
    name: "InconclusiveError",
    message: expect.stringContaining("failed: "),
  });
});

test.each([
  ["a job of no pull request", { GITHUB_EVENT_PATH: undefined }, "this is not a pull request"],
  ["an event file that is gone", { GITHUB_EVENT_PATH: join(folder, "gone.json") }, "this is not a pull request"],
  ["a job without a token", { GITHUB_TOKEN: "" }, "GITHUB_TOKEN is not set"],
])("%s is a usage error", async (_, env, sentence) => {
  const posted = postComment("<!-- a -->\n", jobOf("http://127.0.0.1:9", env));
  await expect(posted).rejects.toMatchObject({ name: "UsageError", message: expect.stringContaining(sentence) });
});
