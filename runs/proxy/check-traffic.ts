/**
 * The process that checks traffic: it puts exchanges together, judges and writes them, so that nothing of this delays what
 * passes through. It ends when the proxy tells it to, or is gone, and writes the verdicts in either case; signals for both are
 * the proxy's to answer.
 */

import { once } from "node:events";
import { closeSync, openSync, writeSync } from "node:fs";
import { SIGNALS } from "../../cli/interrupt.ts";
import { readBaseline } from "../../conformance/engine/baseline.ts";
import { selectPassive } from "../../conformance/engine/clause-selection.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { fileSink } from "../../conformance/engine/run-files.ts";
import { TrafficRun } from "../../conformance/engine/traffic-run.ts";
import { recordedExchange, recordedRequest, type SeenExchange } from "../../proxy/recorded-exchange.ts";
import type { SeenRequest } from "../../proxy/tap.ts";
import { plural } from "../../reports/numbers.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import type { FromCheck, HandedExchange, Side, ToCheck } from "./check-messages.ts";
import { TrafficTrace } from "./traffic-trace.ts";

for (const signal of SIGNALS) process.on(signal, () => undefined);
let end = (_unchecked: number): void => undefined;
process.once("disconnect", () => {
  end(0);
  process.exit();
});

const tell = (message: FromCheck): void => void process.send?.(message);

const [begin]: ToCheck[] = await once(process, "message");
if (begin?.kind !== "begin") throw new Error(`The first message was ${begin?.kind}, not "begin".`);
const { folder, target, settings, redactBodies, trace: traceFile, tenantHeader, ...choice } = begin.settings;
const clauses = await loadClauses();
const selections = selectPassive(
  clauses,
  choice.only === undefined ? { profile: choice.profile } : { profile: choice.profile, only: choice.only },
);
const baseline = readBaseline(choice.baseline, clauses);
const startedAt = new Date().toISOString();
const sink = fileSink(folder, (error) =>
  tell({ kind: "failed", reason: `Cannot write the result: ${reasonOf(error)}` }),
);
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

function seenExchange(request: SeenRequest, { response, ...seen }: HandedExchange): SeenExchange {
  if (response === undefined) return { ...seen, request };
  const { timesMs, bytes, ...head } = response;
  return {
    ...seen,
    request,
    response: { ...head, chunks: timesMs.map((atMs, index) => ({ atMs, bytes: bytes[index] ?? 0 })) },
  };
}

const trace = traceFile === undefined ? undefined : new TrafficTrace(tenantHeader);
const requests = new Map<number, SeenRequest>();
const bodies = new Map<number, Record<Side, Uint8Array[]>>();
/** Exchanges that could not be checked. */
let failed = 0;

function check({ id, seen, last }: Extract<ToCheck, { kind: "exchange" }>): void {
  const { request = [], response = [] } = bodies.get(id) ?? {};
  const begun = requests.get(id);
  bodies.delete(id);
  requests.delete(id);
  try {
    if (begun === undefined) throw new Error("its request was not handed over");
    const exchange = recordedExchange(id, seenExchange(begun, seen), {
      request: Buffer.concat([...request, last.request]),
      response: Buffer.concat([...response, last.response]),
    });
    run.add(exchange);
    trace?.add(exchange);
  } catch (error) {
    failed += 1;
    tell({ kind: "failed", reason: `Cannot check exchange ${id}: ${reasonOf(error)}` });
  }
  tell({ kind: "checked", id });
}

end = (unchecked) => {
  end = () => undefined;
  run.end(unchecked + failed);
  if (traceFile !== undefined && trace !== undefined) writeTrace(traceFile, trace, unchecked + failed);
};

/** @param unseen exchanges that were not recorded */
function writeTrace(file: string, trace: TrafficTrace, unseen: number): void {
  try {
    const to = openSync(file, "wx");
    for (const line of trace.lines()) writeSync(to, `${line}\n`);
    closeSync(to);
  } catch (error) {
    tell({ kind: "failed", reason: `Cannot write the trace ${file}: ${reasonOf(error)}` });
  }
  const lacking = trace.lacking + unseen;
  if (lacking === 0) return;
  tell({
    kind: "failed",
    reason: `The trace ${file} can lack up to ${plural(lacking, "request")}: there was no room for them, or their bodies could not be read. Record for a shorter time`,
  });
}

function take(message: ToCheck): void {
  if (message.kind === "request") {
    requests.set(message.id, message.request);
    run.begin(recordedRequest(message.request));
  } else if (message.kind === "body") {
    const known = bodies.get(message.id) ?? { request: [], response: [] };
    known[message.side].push(message.bytes);
    bodies.set(message.id, known);
  } else if (message.kind === "drop") {
    bodies.delete(message.id);
    if (message.what === "all") requests.delete(message.id);
    tell({ kind: "dropped", id: message.id, what: message.what });
  } else if (message.kind === "exchange") check(message);
  else if (message.kind === "end") {
    end(message.unchecked);
    process.send?.({ kind: "ended" } satisfies FromCheck, () => process.disconnect());
  }
}

process.on("message", take);
tell({ kind: "ready" });
