/** What may explain why requests of a run exceed a bound, request by request: as far as their records tell. */

import { OPS } from "../../../formats/outcomes.ts";
import { metric } from "../../../load/objectives/metrics.ts";
import type { Slo } from "../../../load/objectives/slo.ts";
import type { Requests, Rows } from "../read/request-columns.ts";
import { firstFrom } from "../stats/first-from.ts";
import type { Cause, ExplainedValues } from "./explain-requests.ts";

/** Of more requests, as many as this, evenly spread. */
const LOOKED_AT = 20_000;

/** The values that an objective bounds, of the measured requests of a part; none of gaps and of video tasks. */
export function explainedValues(
  requests: Requests,
  { metric: name }: Slo,
  rows: Rows,
  origin: number,
): ExplainedValues | undefined {
  if (name === "icl" || metric(name).of === undefined) return undefined;
  const chosen = spread(measuredRows(requests, name, rows), LOOKED_AT);
  const column = (of: (row: number) => number): Float64Array => Float64Array.from(chosen, of);
  return { values: column((row) => requests.at(name, row)), causes: causesOf(requests, chosen, column, origin) };
}

function causesOf(
  requests: Requests,
  chosen: readonly number[],
  column: (of: (row: number) => number) => Float64Array,
  origin: number,
): Cause[] {
  const open = openRequests(requests);
  const [repeated, workloads, models] = [new Set<number>(), numbered(), numbered()];
  const isRepeated = new Map<number, number>();
  for (const row of firstSent(requests)) {
    const digest = requests.at("digest", row);
    if (!Number.isNaN(digest)) isRepeated.set(row, repeated.has(digest) ? 1 : 0);
    repeated.add(digest);
  }
  const number = (name: string, of: (row: number) => number): Cause => ({ name, kind: "number", of: column(of) });
  const named = (name: string, names: readonly string[], of: (row: number) => number): Cause => {
    const values = column(of);
    return { name, kind: "name", names, of: values };
  };
  const time: Cause = {
    name: "time",
    kind: "instant",
    of: column((row) => (requests.at("scheduled", row) - origin) / 1_000),
  };
  const all = [
    time,
    number("input token", (row) => requests.at("input_tokens", row)),
    number("output token", (row) => requests.at("output_tokens", row)),
    number("open request", (row) => open(requests.at("sent", row))),
    number("turn", (row) => requests.at("turn", row)),
    named("operation", OPS, (row) => requests.at("op", row)),
    named("workload", workloads.names, (row) => workloads.of(requests.workloadModel(row).workload)),
    named("model", models.names, (row) => models.of(requests.workloadModel(row).model)),
    named("connection", ["new", "reused"], (row) => requests.at("reused", row)),
    named("prompt", ["new", "repeated"], (row) => isRepeated.get(row) ?? Number.NaN),
  ];
  return all.filter(({ of }) => chosen.length > 0 && of.some((value) => !Number.isNaN(value)));
}

function measuredRows(requests: Requests, name: Slo["metric"], rows: Rows): number[] {
  const all = metric(name).over === "all";
  const chosen: number[] = [];
  for (let row = 0; row < requests.length; row += 1) {
    const isOne = requests.measured(row) && requests.isOf(row, rows) && (all || requests.counts(row));
    if (isOne && !Number.isNaN(requests.at(name, row))) chosen.push(row);
  }
  return chosen;
}

const spread = (rows: readonly number[], most: number): number[] =>
  rows.filter(
    (_, index) =>
      index === 0 || Math.floor((index * most) / rows.length) !== Math.floor(((index - 1) * most) / rows.length),
  );

/** Rows in the order in which they were sent. */
const firstSent = (requests: Requests): number[] =>
  Array.from({ length: requests.length }, (_, row) => row).sort(
    (a, b) => requests.at("sent", a) - requests.at("sent", b),
  );

/** How many requests were open at an instant, one that was sent then among them. */
function openRequests(requests: Requests): (instant: number) => number {
  const rows = Array.from({ length: requests.length }, (_, row) => row);
  const sent = Float64Array.from(rows, (row) => requests.at("sent", row)).sort();
  const ended = Float64Array.from(rows, (row) => requests.end(row)).sort();
  return (instant) => firstFrom(sent, instant) + 1 - firstFrom(ended, instant);
}

/** Numbers of names, in the order in which they come. */
function numbered() {
  const names: string[] = [];
  const of = (name: string | undefined): number => {
    if (name === undefined) return Number.NaN;
    const known = names.indexOf(name);
    return known >= 0 ? known : names.push(name) - 1;
  };
  return { names, of };
}
