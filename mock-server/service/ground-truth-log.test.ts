import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { PATHS } from "../../contract/service.ts";
import { groundTruthRow } from "../../formats/ground-truth.ts";
import { KEY_HEADER, mockFor, send } from "../../tests/support/targets/mock-client.ts";
import { Lateness } from "../timing/lateness.ts";

const embed = (id: string) => ({
  path: PATHS.embeddings,
  body: { model: "m", input: "a" },
  headers: { ...KEY_HEADER, "x-request-id": id },
});

const row = z.strictObject(groundTruthRow.shape);

describe("the ground truth", () => {
  it("keeps the newest rows, while the counters count all requests", async () => {
    const mock = await mockFor({ groundTruthRows: 3 });
    for (const id of ["1", "2", "3", "4", "5"]) await send(mock, embed(id));
    expect(mock.groundTruth().map(({ id }) => id)).toEqual(["3", "4", "5"]);
    expect(mock.state()).toMatchObject({ requests: 5, byRoute: { embeddings: { 200: 5 } } });
  });

  it("records request, time and result", async () => {
    const mock = await mockFor({ faults: ["embeddings-201"] });
    await send(mock, embed("r"));
    expect(mock.groundTruth()).toMatchObject([
      {
        id: "r",
        connection: 1,
        route: "embeddings",
        method: "POST",
        path: PATHS.embeddings,
        status: 201,
        startedAt: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{6}Z$/),
        planned_ms: [],
        actual_ms: [],
        tokens: 0,
        fault: "embeddings-201",
        clientLeft: false,
      },
    ]);
  });

  it("has the format that formats/ground-truth.ts states, and no other member", async () => {
    const mock = await mockFor({ faults: ["stream-reset"] });
    const messages = [{ role: "user", content: "hi" }];
    await send(mock, { path: PATHS.chat, body: { model: "m", messages, stream: true } });
    await send(mock, { path: PATHS.videos, body: { model: "m", prompt: "p" } });
    await send(mock, { path: "/v1/unknown" });
    expect(mock.groundTruth().map((given) => row.parse(given).route)).toEqual(["chat.stream", "video.submit", "none"]);
  });

  it("gives a request without an id a new id", async () => {
    const mock = await mockFor();
    await send(mock, { ...embed(""), headers: KEY_HEADER });
    expect(mock.groundTruth()[0]?.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is a file with one JSON object per line, complete when the mock has stopped", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ledger-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const groundTruthFile = join(folder, "ledger.jsonl");
    const mock = await mockFor({ groundTruthFile, groundTruthRows: 1 });
    for (const id of ["1", "2", "3"]) await send(mock, embed(id));
    await mock.stop();
    const lines = (await readFile(groundTruthFile, "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: "1" }, { id: "2" }, { id: "3" }]);
  });
});

it("lateness is reported within five percent", () => {
  const lateness = new Lateness();
  for (let i = 1; i <= 1000; i++) lateness.add(i / 100);
  const { count, p50Ms, p99Ms, maxMs } = lateness.summary();
  expect([count, maxMs]).toEqual([1000, 10]);
  expect(Math.abs(p50Ms / 5 - 1)).toBeLessThan(0.05);
  expect(Math.abs(p99Ms / 9.9 - 1)).toBeLessThan(0.05);
  lateness.clear();
  expect(lateness.summary()).toEqual({ count: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 });
});
