import { describe, expect, it } from "vitest";
import { UsageError } from "../settings/usage-error.ts";
import { mockFor, send } from "../tests/support/targets/mock-client.ts";
import type { MockOptions } from "./mock.ts";
import { TIMING_NAMES } from "./timing/timings.ts";
import { FAULTS, PERMITTED } from "./variants/all-variants.ts";

describe("wrong options are usage errors with the nearest known name", () => {
  it.each([
    [{ timing: "instnat" }, 'Cannot find the timing "instnat". Did you mean "instant"?'],
    [{ behaviour: "strct" }, 'Cannot find the behaviour "strct". Did you mean "strict"?'],
    [{ faults: ["video-submit-20"] }, 'Did you mean "video-submit-200"?'],
    [{ faults: ["chat-201@sometimes"] }, '"sometimes" is not a condition. Write NAME, NAME@first:3'],
    [{ port: 70_000 }, "a port is a whole number from 0 to 65535"],
    [{ ttftMs: -1 }, "Give a number of 0 or more"],
    [{ itlMs: "20 parsecs" }, "Write it like 20ms, 3s, lognormal:100ms,0.5"],
    [{ groundTruthFile: "/no/such/folder/ledger.jsonl" }, "Give a file in an existing folder"],
  ])("%j", async (options, message) => {
    const failure = mockFor(options);
    await expect(failure).rejects.toBeInstanceOf(UsageError);
    await expect(failure).rejects.toThrow(message);
  });
});

describe("the catalogues", () => {
  it("list every entry with a line about it", () => {
    expect(TIMING_NAMES).toEqual(["instant", "fast", "typical", "slow"]);
    expect(PERMITTED.map(({ name }) => name)).toContain("strict");
    expect(FAULTS.length).toBeGreaterThanOrEqual(100);
    expect(PERMITTED.length).toBeGreaterThanOrEqual(41);
    expect([...PERMITTED, ...FAULTS].filter(({ about }) => about === "")).toEqual([]);
  });

  it("use each name once", () => {
    const names = [...PERMITTED, ...FAULTS].map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
  });

  it("turn the same variant on by its behaviour name and by its fault name", async () => {
    const messages = [{ role: "user", content: "hi" }];
    const body = { model: "m", stream: true, stream_options: { include_usage: true }, messages };
    const vectors = { model: "m", input: "a", encoding_format: "base64" };
    const responsesOf = async (options: MockOptions) => {
      const mock = await mockFor(options);
      const stream = await send(mock, { path: "/v1/chat/completions", body });
      const embeddings = await send(mock, { path: "/v1/embeddings", body: vectors });
      return `${stream.text}${embeddings.text}`.replaceAll(/"created":\d+/g, "");
    };
    const named = PERMITTED.flatMap(({ name, faultName }) => (faultName === undefined ? [] : [{ name, faultName }]));
    expect(named).toHaveLength(12);
    const plain = await responsesOf({});
    for (const { name, faultName } of named) {
      const asFault = await responsesOf({ faults: [faultName] });
      expect(asFault).toBe(await responsesOf({ behaviour: name }));
      expect(asFault).not.toBe(plain);
    }
  });
});

describe("a fault", () => {
  const submit = { path: "/v1/videos/generations", body: { model: "m", prompt: "p" } };

  it("is turned on and off while the mock runs", async () => {
    const mock = await mockFor({ faults: ["video-submit-200"] });
    expect((await send(mock, submit)).status).toBe(200);
    mock.setFaults([]);
    expect((await send(mock, submit)).status).toBe(202);
    expect(() => mock.setFaults(["nothing"])).toThrow(UsageError);
  });

  it("applies only to the requests of its condition", async () => {
    const mock = await mockFor({ faults: ["video-submit-200@header:x-broken=1"] });
    const status = async (broken: string) =>
      (await send(mock, { ...submit, headers: { authorization: "Bearer k", "x-broken": broken } })).status;
    expect([await status("1"), await status("2")]).toEqual([200, 202]);
  });
});

it("can be stopped twice, and ends open streams", async () => {
  const mock = await mockFor({ ttftMs: 60_000 });
  const open = send(mock, {
    path: "/v1/chat/completions",
    body: { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] },
  });
  await expect.poll(() => mock.state().openStreams).toBe(1);
  await Promise.all([mock.stop(), mock.stop()]);
  expect((await open).error).toBeDefined();
});
