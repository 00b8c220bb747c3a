/** What failed on the load generator's own machine says nothing about the target, and limits the run. */

import { expect, test } from "vitest";
import { CLIENT_FAULTS, type ClientFault } from "../../../formats/outcomes.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import { unanswered } from "../../../tests/support/results/load-run.ts";
import { summarizeRun as run } from "../../../tests/support/results/summarize-run.ts";
import { historyOf, videoRecords } from "../../../tests/support/results/video-records.ts";

const here = (record: RequestRecord, client_fault: ClientFault): RequestRecord => ({
  ...unanswered(record, "client_error"),
  client_fault,
  detail: "This machine lacked something: dial tcp 192.0.2.7:9",
});
const after = (from: number, fault: ClientFault) => (record: RequestRecord, index: number) =>
  index >= from ? here(record, fault) : record;

test.each([
  ["open_files", /240 of 640 requests failed on the load generator's machine, not at the target: .*ulimit -n/],
  ["source_ports", /no source port was free; .*net\.ipv4\.ip_local_port_range/],
  ["memory", /no memory for the connection/],
  ["name_resolution", /name of the host was not resolved; .*DNS/],
  ["route", /no route to the target; /],
  ["proxy", /the proxy of the environment did not pass them on to the target; .*NO_PROXY/],
] as const)("%s makes the run CLIENT-LIMITED, and the reason says what to do", async (fault, reason) => {
  const { validity, exitCode, outages, counts, metrics, slos, failures } = await run({ change: after(400, fault) });
  expect(validity.verdict).toBe("CLIENT-LIMITED");
  expect(validity.reasons).toEqual([expect.stringMatching(reason)]);
  expect(exitCode).toBe(2);
  expect(outages).toEqual([]);
  expect(counts).toMatchObject({ failed: 0, not_started: 0, outcomes: { client_error: 240 } });
  expect(metrics["error_rate"]?.value).toBe(0);
  expect(slos).toMatchObject([{ ok: null, note: expect.stringContaining("240 client_error") }, { ok: true }]);
  expect(failures).toMatchObject([{ outcome: "client_error", clientFault: fault, count: 240 }]);
  expect(failures[0]?.advice).toBeDefined();
});

test("each fault has a sentence of its own", async () => {
  const all = (record: RequestRecord, index: number) =>
    index < 600 ? record : here(record, CLIENT_FAULTS[index % CLIENT_FAULTS.length] ?? "route");
  const { validity, failures } = await run({ change: all });
  expect(validity.reasons).toHaveLength(CLIENT_FAULTS.length);
  expect(new Set(failures.map(({ clientFault }) => clientFault))).toEqual(new Set(CLIENT_FAULTS));
});

test("a run of which nothing left the machine is CLIENT-LIMITED, and its target did not fail", async () => {
  const { validity, exitCode, slos } = await run({ change: after(0, "name_resolution") });
  expect(validity.verdict).toBe("CLIENT-LIMITED");
  expect(exitCode).toBe(2);
  expect(slos.map(({ ok }) => ok)).toEqual([null, null]);
});

test("a target that answered nothing that reached it is INVALID all the same", async () => {
  const change = (record: RequestRecord, index: number) =>
    index % 2 === 0 ? unanswered(record) : here(record, "open_files");
  const { validity, exitCode } = await run({ change });
  expect([validity.verdict, exitCode]).toEqual(["INVALID", 2]);
});

test("a target that fails often enough fails the run all the same", async () => {
  const change = (record: RequestRecord, index: number) =>
    index % 3 === 0 ? record : index % 3 === 1 ? unanswered(record) : here(record, "open_files");
  const { validity, exitCode, conclusion } = await run({ change });
  expect([validity.verdict, exitCode]).toEqual(["CLIENT-LIMITED", 1]);
  expect(conclusion).toContain("missed: error_rate<1%");
});

test("requests that failed here do not extend an outage of the target, nor hide one", async () => {
  const change = (record: RequestRecord, index: number) =>
    index < 400 ? record : index % 2 === 0 ? unanswered(record) : here(record, "route");
  const { outages } = await run({ change });
  expect(outages).toMatchObject([{ requests: 120, outcomes: { refused: 120 }, recovered: false }]);
});

test("what failed in the warm-up alone does not limit the run", async () => {
  const change = (record: RequestRecord, index: number) => (index === 3 ? here(record, "open_files") : record);
  expect((await run({ change })).validity.verdict).toBe("VALID");
});

const failing = (record: RequestRecord): RequestRecord => ({ ...record, outcome: "client_error", status: 0 });

test.each([
  ["could not be polled", ["submit@0", "poll@1000:processing", "poll@2000:processing", "giveup@3000"], [2, 3], true],
  ["was cancelled after polls that failed here", ["submit@0", "poll@1000:processing", "giveup@3000"], [1], true],
  ["could not be cancelled", ["submit@0", "poll@1000:processing", "giveup@3000"], [2], true],
  ["took too long, as later polls show", ["submit@0", "poll@1:x", "poll@1000:processing", "giveup@3000"], [1], false],
  ["was seen to end all the same", ["submit@0", "poll@1000:processing", "poll@2000:completed"], [1], false],
] as const)("a video task that %s", (_, history, failed, unseen) => {
  const records = videoRecords("t", history).map((record, index) =>
    failed.some((at) => at === index) ? failing(record) : record,
  );
  expect(historyOf(records).submitted()).toMatchObject({ unseen });
});

test("a cancel that never left the machine was not asked of the target", () => {
  const history = ["submit@0", "poll@1000:processing", "cancel@1500", "poll@2000:completed"];
  const records = videoRecords("t", history).map(
    (record): RequestRecord => (record.op === "video.cancel" ? { ...failing(record), cancel_reason: "asked" } : record),
  );
  expect(historyOf(records).submitted()).toMatchObject({ end: "completed" });
});
