import { connect } from "node:net";
import { Client } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { PATHS, videoCancelPath, videoTaskPath } from "../../contract/service.ts";
import { KEY_HEADER, mockFor, type Sent, send } from "../../tests/support/targets/mock-client.ts";

const chat = { model: "m", messages: [{ role: "user", content: "hi" }] };
const POSTS: readonly Sent[] = [
  { path: PATHS.chat, body: chat },
  { path: PATHS.embeddings, body: { model: "m", input: "a" } },
  { path: PATHS.videos, body: { model: "m", prompt: "p" } },
];
const TASKS: readonly Sent[] = [
  { path: videoTaskPath("no-such-task") },
  { path: videoCancelPath("no-such-task"), method: "POST" },
];

describe("the key", () => {
  it.each([...POSTS, ...TASKS])("is required by $path", async (sent) => {
    const mock = await mockFor();
    for (const authorization of ["", "Bearer", "Bearer ", "Basic abc"]) {
      const { status, json } = await send(mock, { ...sent, headers: authorization === "" ? {} : { authorization } });
      expect(status).toBe(401);
      expect(json).toMatchObject({ error: { type: "authentication_error" } });
    }
  });

  it("may be any key, unless only some are accepted", async () => {
    const sent = { path: PATHS.chat, body: chat, headers: { authorization: "Bearer one" } };
    expect((await send(await mockFor(), sent)).status).toBe(200);
    expect((await send(await mockFor({ apiKeys: ["one", "two"] }), sent)).status).toBe(200);
    expect((await send(await mockFor({ apiKeys: ["two"] }), sent)).status).toBe(401);
  });
});

describe("paths and methods", () => {
  it.each(["/", "/v1", "/chat/completions", "/v1/chat", `${PATHS.videos}/a/b`, `${PATHS.videos}/%zz`])(
    "%s is unknown: 404",
    async (path) => {
      expect((await send(await mockFor(), { path })).status).toBe(404);
    },
  );

  it.each(TASKS)("an unknown task is 404 on $path", async (sent) => {
    const { status, json } = await send(await mockFor(), sent);
    expect([status, json]).toMatchObject([404, { error: { code: "task_not_found" } }]);
  });

  it.each([
    [PATHS.chat, "GET", "POST"],
    [PATHS.embeddings, "PUT", "POST"],
    [PATHS.videos, "GET", "POST"],
    [videoTaskPath("x"), "POST", "GET"],
    [videoCancelPath("x"), "GET", "POST"],
  ])("%s with %s is 405 and allows %s", async (path, method, allow) => {
    const { status, headers } = await send(await mockFor(), { path, method });
    expect([status, headers.get("allow")]).toEqual([405, allow]);
  });

  it("a query is not part of the path", async () => {
    expect((await send(await mockFor(), { path: `${PATHS.chat}?a=b`, body: chat })).status).toBe(200);
  });
});

it("a body without Content-Type is 415 with typed-bodies, and creates no task", async () => {
  const mock = await mockFor({ behaviour: "typed-bodies" });
  const client = new Client(mock.url);
  onTestFinished(() => client.destroy());
  const video = { path: PATHS.videos, method: "POST", body: JSON.stringify({ model: "m", prompt: "p" }) } as const;
  const { statusCode, body } = await client.request({ ...video, headers: KEY_HEADER });
  await body.dump();
  expect([statusCode, mock.tasks()]).toEqual([415, []]);
  expect((await send(mock, video)).status).toBe(202);
});

describe("every response", () => {
  it.each([...POSTS, ...TASKS])("of $path is JSON of a stated length", async (sent) => {
    const mock = await mockFor();
    const { headers, text } = await send(mock, sent);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  });

  it("keeps the connection, whose number is recorded", async () => {
    const mock = await mockFor();
    const client = new Client(mock.url);
    onTestFinished(() => client.destroy());
    for (const path of ["/v1/unknown", videoTaskPath("x"), "/v1/unknown"]) {
      await (await client.request({ method: "GET", path })).body.dump();
    }
    expect(mock.groundTruth().map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });
});

it("a client that leaves in the middle of its request gets no response, and that is recorded", async () => {
  const mock = await mockFor();
  const socket = connect(mock.port, "127.0.0.1");
  socket.write(
    `POST ${PATHS.chat} HTTP/1.1\r\nHost: mock\r\nAuthorization: Bearer k\r\nContent-Length: 100\r\n\r\n{"mo`,
  );
  await new Promise((resolve) => socket.once("ready", resolve));
  await send(mock, { path: videoTaskPath("x") });
  socket.destroy();
  await expect.poll(() => mock.groundTruth().at(-1)).toMatchObject({ path: PATHS.chat, status: 0, clientLeft: true });
});
