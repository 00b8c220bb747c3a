/**
 * The thread that checks traffic: it puts exchanges together, judges and writes them, so that nothing of this delays what
 * passes through.
 */

import { parentPort, workerData } from "node:worker_threads";
import { readBaseline } from "../../conformance/engine/baseline.ts";
import { selectPassive } from "../../conformance/engine/clause-selection.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { fileSink } from "../../conformance/engine/run-files.ts";
import { TrafficRun } from "../../conformance/engine/traffic-run.ts";
import { recordedExchange } from "../../proxy/recorded-exchange.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import type { CheckSettings, FromCheck, Side, ToCheck } from "./check-messages.ts";

const tell = (message: FromCheck): void => parentPort?.postMessage(message);

const { folder, target, settings, redactBodies, ...choice }: CheckSettings = workerData;
const clauses = await loadClauses();
const selections = selectPassive(
  clauses,
  choice.only === undefined ? { profile: choice.profile } : { profile: choice.profile, only: choice.only },
);
const baseline = readBaseline(choice.baseline, clauses);
const startedAt = new Date().toISOString();
const sink = fileSink(folder, (error) => tell({ kind: "failed", reason: reasonOf(error) }));
sink.begin({ run: { target, settings }, startedAt, selections, baseline, traffic: true });
const run = new TrafficRun({
  selections,
  baseline,
  sink,
  redactBodies,
  startedAt,
  violated: ({ clause, verdict, count, exchange: { request } }) =>
    tell({
      kind: "violation",
      clause: clause.id,
      verdict: verdict.verdict,
      reason: verdict.reason,
      count,
      request: `${request.method} ${request.url}`,
    }),
});

const bodies = new Map<number, Record<Side, Uint8Array[]>>();

function take(message: ToCheck): void {
  if (message.kind === "body") {
    const known = bodies.get(message.id) ?? { request: [], response: [] };
    known[message.side].push(message.bytes);
    bodies.set(message.id, known);
  } else if (message.kind === "exchange") {
    const { request = [], response = [] } = bodies.get(message.id) ?? {};
    bodies.delete(message.id);
    run.add(
      recordedExchange(message.id, message.seen, {
        request: Buffer.concat(request),
        response: Buffer.concat(response),
      }),
    );
    tell({ kind: "checked", id: message.id });
  } else {
    run.end(message.unchecked);
    tell({ kind: "ended" });
    parentPort?.close();
  }
}

parentPort?.on("message", take);
tell({ kind: "ready" });
