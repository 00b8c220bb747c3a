/** `assay proxy` between the official client for Node and the mock. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { wholeLines } from "../../../cli/file-lines.ts";
import { exchangeLine } from "../../../formats/exchanges.ts";
import { assay, type Ended, newFolder, type Running, startAssay } from "../../support/commands/assay-process.ts";
import { conformanceResultOf } from "../../support/results/read-results.ts";
import { exchangeRaw, rawTarget, sendRaw } from "../../support/targets/raw-proxy.ts";
import { mockOfTest } from "../../support/targets/spawned-mock.ts";

const KEY = "sk-canary-of-the-proxy";
const PROMPT = "canary-prompt";

/** Sends traffic through a proxy and ends it by a signal. */
async function through(
  target: string,
  flags: readonly string[],
  send: (url: string, folder: string) => Promise<void>,
): Promise<Ended & { readonly folder: string }> {
  const folder = join(newFolder(), "result");
  const running = startAssay(["proxy", "--target", target, "--out", folder, ...flags]);
  const url = await running.until(/ready (http:\/\/\S+)/);
  try {
    await send(url, folder);
  } finally {
    running.child.kill("SIGINT");
  }
  return { ...(await running.ended), folder };
}

/** What all files of a folder hold. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));

/** The process that passes traffic on. */
function forwardingOf({ child: { pid } }: Running): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return Number(children.find((each) => readFileSync(`/proc/${each}/cmdline`, "utf8").includes("forwarding-process")));
}

const clientOf = (url: string): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0 });
const TRACED = ["--tenant-header", "Authorization", "--trace"];
const messages = [{ role: "user" as const, content: PROMPT }];

async function streamedText(client: OpenAI): Promise<string> {
  let text = "";
  for await (const { choices } of await client.chat.completions.create({ model: "m", messages, stream: true })) {
    text += choices[0]?.delta.content ?? "";
  }
  return text;
}

test("the client works through it unchanged, and what it sent is checked, recorded and can be checked again", async (context) => {
  const mock = await mockOfTest(context, "--timing", "fast", "--work", "100ms");
  const trace = join(newFolder(), "trace.jsonl");
  const { code, stdout, folder } = await through(mock.url, ["--profile", "openai", ...TRACED, trace], async (url) => {
    const client = clientOf(url);
    const direct = clientOf(mock.url);
    const body = { model: "m", messages };
    const [chat, wanted] = [await client.chat.completions.create(body), await direct.chat.completions.create(body)];
    expect(chat.choices).toEqual(wanted.choices);
    expect(await streamedText(client)).toBe(await streamedText(direct));
    const { data } = await client.embeddings.create({ model: "m", input: ["a", "b"] });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([256, 256]);
    await expect(client.chat.completions.create({ ...body, temperature: 9 })).rejects.toThrow("temperature");
    const authorization = `Bearer ${KEY}`;
    const submitted = await fetch(`${url}/v1/videos/generations`, {
      method: "POST",
      headers: { authorization },
      body: JSON.stringify({ model: "m", prompt: PROMPT }),
    });
    const { id } = JSON.parse(await submitted.text());
    await expect
      .poll(async () => (await fetch(`${url}/v1/videos/generations/${id}`, { headers: { authorization } })).text())
      .toMatch("completed");
  });
  expect(stdout).toMatch(/^CONFORMS/m);
  expect(code).toBe(0);
  const { traffic, clauses } = conformanceResultOf(folder);
  const verdicts = new Map(clauses.map(({ id, verdict }) => [id, verdict]));
  const passed = ["chat.status", "chat.stream.compatible.done", "embeddings.response.base64", "video.submit.status"];
  expect(passed.map((id) => verdicts.get(id))).toEqual(passed.map(() => "PASS"));
  expect(verdicts.get("video.cancel.works")).toBe("NOT-APPLICABLE");
  expect(verdicts.get("chat.temperature.above")).toBe("NOT-RUN");
  expect(traffic).toMatchObject({ clientLeft: 0, unchecked: 0, unrecorded: 0 });
  expect(traffic?.judged).toBe(traffic?.requests);
  const never = traffic?.statements.never.map(({ row }) => row) ?? [];
  expect(never).toContain("states.cancel-completed");
  expect(never).not.toContain("endpoints.chat");
  expect(traffic?.statements.total).toBe((traffic?.statements.exercised ?? 0) + never.length);
  const [, ...exchanges] = wholeLines(join(folder, "exchanges.jsonl")).map((line) => JSON.parse(line));
  expect(exchanges.map((line) => exchangeLine.parse(line).request.body ?? "").join()).toMatch(PROMPT);
  expect((await assay(["replay", folder])).stdout).toMatch("All verdicts are unchanged");
  // Without what was refused, and without polls.
  const lines = wholeLines(trace).map((line) => JSON.parse(line));
  const [operations, tenants] = [lines.map(({ operation }) => operation), lines.map(({ tenant }) => tenant)];
  expect(operations).toEqual(["chat", "chat-stream", "embeddings", "video"]);
  expect(new Set(tenants)).toEqual(new Set(["tenant-1"]));
  const replay = ["load", "chat", "--target", mock.url, "--plan"];
  const planned = await assay([...replay, "--arrival", `trace:${trace},operation=chat-stream`]);
  expect(planned.stdout).toMatch(/layout of assay proxy, times are dates/);
  const mistaken = await assay([...replay, "--arrival", `trace:${trace},operation=video`]);
  expect(mistaken).toMatchObject({
    code: 3,
    stderr: expect.stringMatching("its requests are of video. Run assay load video"),
  });
  const again = await assay(["proxy", "--target", mock.url, "--trace", trace]);
  expect(again).toMatchObject({ code: 3, stderr: expect.stringMatching(/Cannot use --trace: it exists/) });
});

test("a violation is said at once and fails the run; neither keys nor, where that was asked for, bodies are written", async (context) => {
  // A stream that has no end cannot have ended before its client leaves.
  const mock = await mockOfTest(
    context,
    "--timing",
    "fast",
    "--fault",
    "chat-usage-missing@every:2",
    "--fault",
    "stream-stall",
  );
  const { code, stdout, stderr, folder } = await through(mock.url, ["--redact-bodies"], async (url, recorded) => {
    const client = clientOf(url);
    for (let sent = 0; sent < 6; sent += 1) await client.chat.completions.create({ model: "m", messages });
    const stream = await client.chat.completions.create({ model: "m", messages, stream: true });
    for await (const _ of stream) break;
    // The proxy has seen that its client left when it has recorded the seventh exchange, after the header.
    await expect.poll(() => wholeLines(join(recorded, "exchanges.jsonl")).length).toBe(8);
  });
  expect(stderr).toMatch(/FAIL {2}chat\.response\.usage {2}POST .*exchange \d/);
  expect(stdout).toMatch(/^DOES NOT CONFORM/m);
  expect(code).toBe(1);
  const { clauses, traffic } = conformanceResultOf(folder);
  const usage = clauses.find(({ id }) => id === "chat.response.usage");
  expect(usage).toMatchObject({ verdict: "FAIL", reason: expect.stringMatching("3 of 6 completions") });
  expect(traffic?.clientLeft).toBe(1);
  for (const text of [stdout, stderr, ...filesIn(folder)]) expect(text).not.toMatch(/canary|chatcmpl/);
});

test("a key in the query, or in a header of the target's own, is not written; nor are other values of a query", async (context) => {
  const mock = await mockOfTest(context, "--timing", "fast", "--fault", "chat-usage-missing");
  for (const flags of [[], ["--redact-bodies"]]) {
    const query =
      flags.length === 0 ? "model=m&key=sk%2Dcanary%2Din-query" : "q=canary-text&key=sk%2Dcanary%2Din-query";
    const { stdout, stderr, folder } = await through(mock.url, flags, async (url) => {
      const response = await fetch(`${url}/v1/chat/completions?${query}`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "x-goog-api-key": "canary-of-a-header" },
        body: JSON.stringify({
          model: "canary-of-a-header",
          messages: [{ role: "user", content: "sk-canary-in-query" }],
        }),
      });
      await response.text();
    });
    expect(stderr).toMatch(/FAIL {2}chat\.response\.usage/);
    for (const text of [stdout, stderr, ...filesIn(folder)]) expect(text).not.toMatch(/canary/);
  }
});

test("the first SIGTERM ends it, whatever clients and a target have left open, and the verdicts are written", async () => {
  const key = "canary-of-a-request-on-its-way";
  const target = await rawTarget((socket, received) => {
    if (received.startsWith("GET /status")) socket.end("HTTP/1.1 099 \u0001\r\n\r\n", "latin1");
    else if (received.startsWith("GET /switch"))
      socket.write("HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    else if (received.startsWith("GET /idle"))
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${key.length + 2}\r\n\r\n${key}ok`);
  });
  const folder = join(newFolder(), "result");
  const running = startAssay(["proxy", "--target", target, "--out", folder]);
  const port = Number(new URL(await running.until(/ready (http:\/\/\S+)/)).port);
  const get = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${path === "/hangs" ? `x-api-key: ${key}\r\n` : ""}\r\n`;
  const hanging = sendRaw(port, get("/hangs"));
  const half = sendRaw(port, "GET /half HTTP/1.1\r\nHo");
  for (const path of ["/status", "/switch"]) expect(await exchangeRaw(port, get(path), /\}$/)).toMatch(/ 502 /);
  expect(await exchangeRaw(port, get("/idle"), /ok$/)).toMatch(/ 200 /);
  running.child.kill("SIGTERM");
  const { code, stderr } = await running.ended;
  expect([code, stderr]).toEqual([2, expect.stringMatching("Stopping: waiting up to 5 s for 1 request")]);
  expect((await Promise.all([hanging, half])).map(({ end }) => end)).not.toContain("open");
  const [, ...lines] = wholeLines(join(folder, "exchanges.jsonl"));
  const exchanges = lines.map((line) => exchangeLine.parse(JSON.parse(line)));
  const failures = exchanges.map(({ request, failure }) => [new URL(request.url).pathname, failure?.kind]);
  expect(failures).toContainEqual(["/status", "other"]);
  expect(failures).toContainEqual(["/hangs", "client"]);
  expect(conformanceResultOf(folder).traffic?.requests).toBe(4);
  for (const text of filesIn(folder)) expect(text).not.toContain(key);
});

/** What throws outside of all exchanges once a request has come, as a fault of Node or of a library would. */
const FAULTS = `import { subscribe } from "node:diagnostics_channel";
subscribe("http.server.request.start", ({ request }) => {
  if (request.url === "/rejects") void Promise.reject(new Error("a rejection of the test"));
  if (request.url === "/throws") throw new Error("a fault of the test");
});`;

test("a fault outside of all exchanges ends none of them: the traffic goes on, and the run says so at its end", async (context) => {
  const mock = await mockOfTest(context, "--timing", "fast");
  const folder = join(newFolder(), "result");
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULTS)}` };
  const running = startAssay(["proxy", "--target", mock.url, "--out", folder], env);
  const url = await running.until(/ready (http:\/\/\S+)/);
  for (const path of ["/rejects", "/throws"]) expect((await fetch(url + path)).status).toBe(404);
  await clientOf(url).chat.completions.create({ model: "m", messages });
  running.child.kill("SIGTERM");
  const { code, stderr } = await running.ended;
  const reason = /The proxy failed internally: a rejection of the test\. The traffic continued.*Start the proxy again/;
  expect([code, stderr]).toEqual([3, expect.stringMatching(reason)]);
  expect(conformanceResultOf(folder).traffic).toMatchObject({ requests: 3, judged: 3 });
});

test("when the process that passes traffic on is killed, what was checked before it is reported", async (context) => {
  const mock = await mockOfTest(context, "--timing", "fast");
  const folder = join(newFolder(), "result");
  const running = startAssay(["proxy", "--target", mock.url, "--out", folder]);
  const url = await running.until(/ready (http:\/\/\S+)/);
  await clientOf(url).chat.completions.create({ model: "m", messages });
  await expect.poll(() => wholeLines(join(folder, "exchanges.jsonl")).length).toBe(2);
  process.kill(forwardingOf(running), "SIGKILL");
  const { code, stderr } = await running.ended;
  expect([code, stderr]).toEqual([3, expect.stringMatching("the process that does so was ended by SIGKILL")]);
  const verdicts = new Map(conformanceResultOf(folder).clauses.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts.get("chat.status")).toBe("PASS");
});

test("when assay is killed, nothing passes traffic on", async (context) => {
  const mock = await mockOfTest(context, "--timing", "fast");
  const running = startAssay(["proxy", "--target", mock.url, "--out", join(newFolder(), "result")]);
  await running.until(/ready (http:\/\/\S+)/);
  const forwarding = forwardingOf(running);
  const isRunning = (): boolean => existsSync(`/proc/${forwarding}/exe`);
  context.onTestFinished(() => void (isRunning() && process.kill(forwarding, "SIGKILL")));
  expect(isRunning()).toBe(true);
  running.child.kill("SIGKILL");
  await expect.poll(isRunning, { timeout: 30_000 }).toBe(false);
});

test("a port in use, and an address of another machine, are said with advice, and leave no folder", async (context) => {
  const mock = await mockOfTest(context);
  const folder = join(newFolder(), "result");
  const run = (...flags: readonly string[]) => assay(["proxy", "--target", mock.url, "--out", folder, ...flags]);
  const inUse = await run("--port", new URL(mock.url).port);
  expect(inUse.stderr).toMatch(
    /Cannot listen on 127\.0\.0\.1:\d+: the port is in use\. Choose another one with --port/,
  );
  expect([inUse.code, existsSync(folder)]).toEqual([3, false]);
  const elsewhere = await run("--host", "192.0.2.1");
  expect(elsewhere.stderr).toMatch("192.0.2.1 is no address of this machine. Name one with --host");
  expect([elsewhere.code, existsSync(folder)]).toEqual([3, false]);
});
