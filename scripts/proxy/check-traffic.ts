/**
 * The process that checks traffic: it puts exchanges together, judges and writes them, so that nothing of this delays what
 * passes through. It ends when the proxy tells it to, or is gone; signals for both are the proxy's to answer.
 */

import { once } from "node:events";
import { readBaseline } from "../../conformance/engine/baseline.ts";
import { selectPassive } from "../../conformance/engine/clause-selection.ts";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { fileSink } from "../../conformance/engine/run-files.ts";
import { TrafficRun } from "../../conformance/engine/traffic-run.ts";
import { recordedExchange, type SeenExchange } from "../../proxy/recorded-exchange.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import { SIGNALS } from "../cli/interrupt.ts";
import type { FromCheck, HandedExchange, Side, ToCheck } from "./check-messages.ts";

for (const signal of SIGNALS) process.on(signal, () => undefined);
process.once("disconnect", () => process.exit());

const tell = (message: FromCheck): void => void process.send?.(message);

const [begin]: ToCheck[] = await once(process, "message");
if (begin?.kind !== "begin") throw new Error(`The first message was ${begin?.kind}, not "begin".`);
const { folder, target, settings, redactBodies, ...choice } = begin.settings;
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

function seenExchange({ response, ...seen }: HandedExchange): SeenExchange {
  if (response === undefined) return seen;
  const { timesMs, bytes, ...head } = response;
  return { ...seen, response: { ...head, chunks: timesMs.map((atMs, index) => ({ atMs, bytes: bytes[index] ?? 0 })) } };
}

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
      recordedExchange(message.id, seenExchange(message.seen), {
        request: Buffer.concat([...request, message.last.request]),
        response: Buffer.concat([...response, message.last.response]),
      }),
    );
    tell({ kind: "checked", id: message.id });
  } else if (message.kind === "end") {
    run.end(message.unchecked);
    process.send?.({ kind: "ended" } satisfies FromCheck, () => process.disconnect());
  }
}

process.on("message", take);
tell({ kind: "ready" });
