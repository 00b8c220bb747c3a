import { describe, expect, it } from "vitest";
import { UsageError } from "../settings/usage-error.ts";
import { mockFor, send } from "../tests/support/mock-client.ts";
import { TIMING_NAMES } from "./timing/timings.ts";
import { loadBehaviours, loadFaults } from "./variants/load-variants.ts";

describe("wrong options are usage errors with the nearest known name", () => {
  it.each([
    [{ timing: "instnat" }, 'Cannot find the timing "instnat". Did you mean "instant"?'],
    [{ behaviour: "strct" }, 'Cannot find the behaviour "strct". Did you mean "strict"?'],
    [{ faults: ["video-submit-20"] }, 'Did you mean "video-submit-200"?'],
    [{ faults: ["chat-201@sometimes"] }, '"sometimes" says no requests. Write NAME, NAME@first:3'],
    [{ port: 70_000 }, "a port is a whole number from 0 to 65535"],
    [{ ttftMs: -1 }, "Give a number that is zero or more"],
    [{ itlMs: "20 parsecs" }, "Write it like 20ms, 3s, lognormal:100ms,0.5"],
    [{ groundTruthFile: "/no/such/folder/ledger.jsonl" }, "Name a file in a folder that exists"],
  ])("%j", async (options, message) => {
    const failure = mockFor(options);
    await expect(failure).rejects.toBeInstanceOf(UsageError);
    await expect(failure).rejects.toThrow(message);
  });
});

describe("the catalogues", () => {
  it("list what there is, with a line about each", async () => {
    expect(TIMING_NAMES).toEqual(["instant", "fast", "typical", "slow"]);
    expect((await loadBehaviours()).map(({ name }) => name)).toContain("strict");
    const faults = await loadFaults();
    expect(faults.length).toBeGreaterThan(60);
    expect(faults.filter(({ about }) => about === "")).toEqual([]);
  });
});

describe("a fault", () => {
  const submit = { path: "/v1/videos/generations", body: { model: "m", prompt: "p" } };

  it("is set and taken back while the mock runs", async () => {
    const mock = await mockFor({ faults: ["video-submit-200"] });
    expect((await send(mock, submit)).status).toBe(200);
    mock.setFaults([]);
    expect((await send(mock, submit)).status).toBe(202);
    expect(() => mock.setFaults(["nothing"])).toThrow(UsageError);
  });

  it("hits only the requests that its condition names", async () => {
    const mock = await mockFor({ faults: ["video-submit-200@header:x-broken=1"] });
    const status = async (broken: string) =>
      (await send(mock, { ...submit, headers: { authorization: "Bearer k", "x-broken": broken } })).status;
    expect([await status("1"), await status("2")]).toEqual([200, 202]);
  });
});

it("stops twice without harm, and ends open streams", async () => {
  const mock = await mockFor({ ttftMs: 60_000 });
  const open = send(mock, {
    path: "/v1/chat/completions",
    body: { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] },
  });
  await expect.poll(() => mock.state().openStreams).toBe(1);
  await Promise.all([mock.stop(), mock.stop()]);
  expect((await open).error).toBeDefined();
});
