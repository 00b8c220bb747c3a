/** What may explain why requests of a run exceed a bound, request by request: as far as their records tell. */

import { z } from "zod";
import type { FLAGS } from "../../../formats/outcomes.ts";
import { literal, quoted } from "../../../lib/duckdb.mjs";
import { metric } from "../../../load/objectives/metrics.ts";
import type { Slo } from "../../../load/objectives/slo.ts";
import type { Database } from "../../tables/database.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";
import { allOf, COUNTS, isOfSql, MEASURED, type Requests, type Rows } from "../read/measured-requests.ts";
import { firstFrom } from "../stats/first-from.ts";
import { FloatVector } from "../stats/float-vector.ts";
import type { Cause, ExplainedValues } from "./explain-requests.ts";

/** Of more requests, as many as this, evenly spread. */
const LOOKED_AT = 20_000;

const number = z.number();
const optional = number.nullable();
const name = z.string().nullable();
const row = z.object({
  ...{ value: number, due: number, sent: number, input: optional, output: optional, turn: optional },
  ...{ op: name, workload: name, model: name, reused: z.boolean().nullable(), repeated: z.boolean().nullable() },
  lost: z.boolean(),
});
type Row = z.infer<typeof row>;

/** The values that an objective bounds, of the measured requests of a part; undefined of gaps and of video tasks. */
export async function explainedValues(
  { database, facts }: Requests,
  { metric: name }: Slo,
  rows: Rows,
  origin: number,
): Promise<ExplainedValues | undefined> {
  if (name === "icl" || metric(name).ofRequest !== true) return undefined;
  if (!facts.present.has(name)) return { values: new Float64Array(0), causes: [] };
  const counts = metric(name).over === "all" ? [] : [COUNTS];
  const where = allOf(MEASURED, ...counts, `${quoted(name)} IS NOT NULL`, isOfSql(rows));
  const chosen: Row[] = [];
  for await (const batch of database.batches(chosenSql(quoted(name), where), row)) chosen.push(...batch);
  const open = await openRequests(database);
  return { values: Float64Array.from(chosen, ({ value }) => value), causes: causesOf(chosen, open, origin) };
}

const chosenSql = (value: string, where: string): string =>
  `WITH own AS (SELECT n, ${value} AS value, row_number() OVER (ORDER BY n) - 1 AS place, count(*) OVER () AS total FROM calls WHERE ${where}),
    inputs AS (SELECT n, input_digest IS NOT NULL AND row_number() OVER (PARTITION BY input_digest ORDER BY sent_us, n) > 1 AS repeated FROM ${NUMBERED} WHERE input_digest IS NOT NULL)
  SELECT own.value, c.scheduled_us / 1000 AS due, c.sent_us / 1000 AS sent, c.input_tokens AS input, c.output_tokens AS output, c.turn, c.op, c.workload, c.model, r.reused, inputs.repeated, coalesce(list_contains(r.flags, ${literal("packet-loss" satisfies (typeof FLAGS)[number])}), FALSE) AS lost
    FROM own JOIN calls AS c ON c.n = own.n JOIN ${NUMBERED} AS r ON r.n = own.n LEFT JOIN inputs ON inputs.n = own.n
    WHERE place = 0 OR place * ${LOOKED_AT} // total <> (place - 1) * ${LOOKED_AT} // total ORDER BY own.n`;

function causesOf(chosen: readonly Row[], open: (instant: number) => number, origin: number): Cause[] {
  const column = (of: (row: Row) => number | boolean | null): Float64Array =>
    Float64Array.from(chosen, (each) => Number(of(each) ?? Number.NaN));
  const counted = (what: string, of: (row: Row) => number | null): Cause => ({
    name: what,
    kind: "number",
    of: column(of),
  });
  const told = (what: string, names: readonly string[], of: (row: Row) => boolean | null): Cause => ({
    ...{ name: what, kind: "name", names },
    of: column(of),
  });
  const named = (what: string, of: (row: Row) => string | null): Cause => {
    const names = [...new Set(chosen.flatMap((each) => of(each) ?? []))];
    const places = new Map(names.map((each, place) => [each, place]));
    return { ...{ name: what, kind: "name", names }, of: column((each) => places.get(of(each) ?? "") ?? null) };
  };
  const all: Cause[] = [
    { name: "time", kind: "instant", of: column(({ due }) => (due - origin) / 1_000) },
    counted("input token", ({ input }) => input),
    counted("output token", ({ output }) => output),
    counted("open request", ({ sent }) => open(sent)),
    counted("turn", ({ turn }) => turn),
    named("operation", ({ op }) => op),
    named("workload", ({ workload }) => workload),
    named("model", ({ model }) => model),
    told("connection", ["new", "reused"], ({ reused }) => reused),
    told("prompt", ["new", "repeated"], ({ repeated }) => repeated),
    told("packets", ["in order", "lost"], ({ lost }) => lost),
  ];
  return all.filter(({ of }) => of.some((value) => !Number.isNaN(value)));
}

/** How many requests were open at an instant, one that was sent then among them. */
async function openRequests(database: Database): Promise<(instant: number) => number> {
  const instants = async (column: string): Promise<Float64Array> => {
    const all = new FloatVector();
    await database.eachNumbers(`SELECT ${column} / 1000 FROM calls ORDER BY 1`, ([at = 0]) => all.push(at));
    return all.view();
  };
  const [sent, ended] = [await instants("sent_us"), await instants("end_us")];
  return (instant) => firstFrom(sent, instant) + 1 - firstFrom(ended, instant);
}
