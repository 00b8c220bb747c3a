/** A target with a cache of prompts: what it answers from it is counted and said, and no built-in prompt finds itself there. */

import { createServer, type Server } from "node:http";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { readInstant } from "../../../settings/instants.ts";
import { assay, newFile, newFolder } from "../../support/commands/assay-process.ts";
import { unspoiled } from "../../support/commands/busy-machine.ts";
import { FEW_UNITS, loadToEnd } from "../../support/commands/load-to-end.ts";
import { recordsOf } from "../../support/results/read-results.ts";
import { listenOnLoopback } from "../../support/targets/loopback-server.ts";

const NEW_MS = 120;
const CACHED_MS = 10;
const Message = z.object({ role: z.string(), content: z.string() });
const Chat = z.object({ messages: z.array(Message), stream: z.boolean().optional() });

/** Responds sooner to messages, or to a system message, that it has seen, and reports 16 of 20 input tokens of those as cached. */
function cachingTarget(): Server {
  const seen = new Set<string>();
  return createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    if (body === "{}") return void response.writeHead(400).end();
    const { messages, stream = false } = Chat.parse(JSON.parse(body));
    const system = messages.find(({ role }) => role === "system");
    const key = JSON.stringify(system === undefined ? [stream, messages] : system.content);
    const isCached = seen.has(key);
    seen.add(key);
    await setTimeout(isCached ? CACHED_MS : NEW_MS);
    const usage = {
      ...{ prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 },
      prompt_tokens_details: { cached_tokens: isCached ? 16 : 0 },
    };
    const choice = { index: 0, finish_reason: "stop" };
    if (!stream) {
      const message = { role: "assistant", content: "a" };
      const whole = {
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ ...choice, message }],
        usage,
      };
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ choices: [{ ...choice, delta: { content: "a" } }] })}\n\n`);
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  });
}

let server: Server;
let url: string;
beforeAll(async () => {
  server = cachingTarget();
  url = await listenOnLoopback(server);
});
afterAll(() => void server.close());

/** As many in flight as are sent: on a busy machine no arrival finds every slot taken. */
const SHAPE = [...FEW_UNITS, "--warmup", "0", "--duration", "2s", "--rate", "50", "--max-in-flight", "400"];

test.each(["chat", "chat-stream"])(
  "repeated prompts of a file are counted with what the cache had of them: %s",
  async (scenario) => {
    const load = (attempt: number) => {
      const prompts = Array.from({ length: 40 }, (_, index) => `question ${scenario} ${attempt} ${index}\n`);
      return loadToEnd(scenario, url, [...SHAPE, "--prompts", newFile("prompts.txt", prompts.join(""))]);
    };
    const { run, folder, stdout, stderr } = await unspoiled(load, ({ run }) => {
      const { max = 0 } = run.metrics["e2e"] ?? {};
      return max > 3 * NEW_MS ? `the target of the test took up to ${max.toFixed(0)} ms` : undefined;
    });
    expect(stderr).toContain("40 prompts: about 60 of 100 repeat an earlier one");
    expect(run.inputs).toMatchObject({
      ...{ requests: 100, repeated: 60, distinct: 40 },
      times: { sooner: true },
      cached: { requests: 100, share: expect.closeTo(0.48) },
    });
    expect(run.inputs?.times?.freshMs).toBeGreaterThan(NEW_MS / 2);
    expect(run.inputs?.times?.repeatedMs).toBeLessThan(NEW_MS / 2);
    expect(stdout).toContain(
      "60 of 100 requests (60%) sent an input that was sent before in this run, and were answered sooner",
    );
    expect(stdout).toContain("the target took 48% of the input tokens from a cache");
    expect(new Set(recordsOf(folder).map(({ input_digest }) => input_digest)).size).toBe(40);
  },
);

test.each([
  ["the built-in ones", []],
  ["those of a file that is to be unique", ["--set", "unique-prompts=true"]],
])("no prompt repeats of %s", async (_, flags) => {
  const file = newFile("prompts.txt", "one\ntwo\n");
  const prompts = flags.length === 0 ? [] : ["--prompts", file];
  const { run, stdout, stderr } = await loadToEnd("chat", url, [...SHAPE, "--rate", "200", ...prompts, ...flags]);
  expect(stderr).not.toContain("repeat");
  expect(run.inputs).toMatchObject({ requests: 400, repeated: 0, distinct: 400, cached: { share: 0 } });
  expect(stdout).not.toContain("cache");
});

test("a search whose later runs send what earlier ones sent does not find the limit of the cache", async () => {
  const shape = ["--rate", "20", "--max", "20", "--warmup", "0", "--probe-duration", "2s", "--duration", "4s"];
  const flags = [...shape, ...FEW_UNITS, "--slo", "e2e_p50<1s"];
  const search = (attempt: number) => {
    const prompts = Array.from({ length: 60 }, (_, index) => `search ${attempt} ${index}\n`);
    const file = newFile("prompts.txt", prompts.join(""));
    return assay(["search", "chat", "--target", url, ...flags, "--prompts", file, "--out", newFolder()], {
      ASSAY_API_KEY: "k",
    });
  };
  const { code, stdout, stderr } = await unspoiled(search, ({ stdout }) => /^CLIENT-LIMITED.*/.exec(stdout)?.[0]);
  expect(stderr).toContain("60 prompts, from which each run draws: later runs repeat prompts of earlier ones");
  expect(stdout).toMatch(
    /^INCONCLUSIVE {2}20\/s met the objectives, but 0% to \d+(\.\d+)?% of what its runs sent had been sent before/,
  );
  expect(code).toBe(2);
});

test("prefixes are sent once before the load, so that the share of cached tokens is the one that was planned", async () => {
  const prompts = ["--input-tokens", "20", "--set", "shared-prefix-tokens=50%:20x3", "--set", "prime=true"];
  const { run, folder, stdout } = await loadToEnd("chat-stream", url, [...SHAPE, "--rate", "100", ...prompts]);
  const records = recordsOf(folder);
  const before = records.filter(({ phase }) => phase === "warmup");
  expect(before).toHaveLength(3);
  expect(before.map(({ op, arrival, cached_tokens: cached }) => [op, arrival, cached])).toEqual(
    Array.from({ length: 3 }, () => ["chat", undefined, 0]),
  );
  const measured = records.filter(({ phase }) => phase === "measure");
  const first = Math.min(...measured.map(({ sent }) => readInstant(sent)));
  for (const { sent, e2e = 0 } of before) expect(readInstant(sent) + e2e).toBeLessThanOrEqual(first);
  const cached = measured.filter(({ cached_tokens: tokens }) => tokens === 16);
  const withPrefix = measured.filter(({ requested_input_tokens: tokens }) => tokens === 40);
  expect(cached.map(({ id }) => id)).toEqual(withPrefix.map(({ id }) => id));
  expect(withPrefix.length / measured.length).toBeCloseTo(0.5, 0);
  expect(run.inputs).toMatchObject({ requests: 200, repeated: 0 });
  expect(run.settings.plannedCached).toBeCloseTo(1 / 3);
  expect(stdout).toMatch(
    /took \d+(\.\d+)?% of the input tokens from a cache, by its usage \(cached_tokens\); 33\.3% were planned/,
  );
});
