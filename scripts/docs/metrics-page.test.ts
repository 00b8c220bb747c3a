/** The figures of docs/metrics.md and docs/objectives.md are those that a report has of the run that the first shows. */

import { readFileSync } from "node:fs";
import { expect, describe as group, test } from "vitest";
import { z } from "zod";
import type { RequestRecord } from "../../formats/records.ts";
import type { MetricResult } from "../../formats/run-metrics.ts";
import { METRIC_NAMES, metric, QUANTILES } from "../../load/objectives/metrics.ts";
import { parseSlo } from "../../load/objectives/slo.ts";
import { beyondBound } from "../../reports/load/metrics/beyond-bound.ts";
import { decideShare, unitsNeeded } from "../../reports/load/metrics/decide-share.ts";
import { evaluateSlo } from "../../reports/load/metrics/evaluate-slo.ts";
import { readShards } from "../../reports/load/read/shards.ts";
import { isFailure, UNIT_OUTCOMES } from "../../reports/load/read/unit-outcomes.ts";
import { censoredDistribution } from "../../reports/load/stats/censored-distribution.ts";
import { Sample } from "../../reports/load/stats/sample.ts";
import { figureOf, sloRow } from "../../reports/load/views/table-rows.ts";
import { readInstant } from "../../settings/instants.ts";
import { evaluate } from "../../tests/support/pages/arithmetic.ts";
import { tableRows } from "../../tests/support/pages/markdown-tables.ts";
import { WORKED_EXAMPLE } from "../../tests/support/pages/worked-example.ts";
import { instant } from "../../tests/support/results/load-run.ts";
import { inDatabase, summarizeLoad } from "../../tests/support/results/summarize-shards.ts";
import { withDefinitions } from "./metrics-page.ts";

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
const page = read("metrics");
const decisions = read("objectives");
const { requests, arrivals, shard } = WORKED_EXAMPLE;
const objectives = tableRows(decisions, ["objective", "observed", "decision"]);
const run = await summarizeLoad({
  target: "http://t",
  scenario: "mixed",
  shape: "2/s",
  tool: "assay",
  slos: objectives.map(({ objective = "" }) => objective),
  shards: [shard],
});

/** Milliseconds from the start of the run. */
const at = (time: string, later = 0): number => readInstant(time) - readInstant(instant(0)) + later;

const shown = (value: number | string | undefined): string => (value === undefined ? "-" : String(value));

/** The work of each arrival in the order in which it was scheduled, as a report reads them; each has the number of its place. */
const unitsOf = () =>
  inDatabase(async (database) => {
    await readShards(database, [shard], { bounds: [] });
    return database.all(
      "SELECT outcome, part, scheduled_us / 1000 AS scheduled FROM units ORDER BY scheduled_us",
      unitRow,
    );
  });
const unitRow = z.object({
  outcome: z.enum(UNIT_OUTCOMES),
  part: z
    .string()
    .nullable()
    .transform((part) => part ?? undefined),
  scheduled: z.number(),
});
type Unit = z.infer<typeof unitRow>;

/** The instants at which content was read. */
function contentOf({ sent, ttft, gaps_us = [] }: RequestRecord): number[] {
  if (ttft === undefined) return [];
  const times = [at(sent, ttft)];
  for (const us of gaps_us) times.push((times.at(-1) ?? 0) + us / 1_000);
  return times;
}

/** What the page says of a response beside the figures that all have. */
function remarksOn({
  requested_input_tokens,
  items,
  status = 200,
  sent,
  ttft_any,
  reasoning_tokens,
  token_source,
  outcome,
}: RequestRecord) {
  return [
    ...(requested_input_tokens === undefined ? [] : [`made of ${requested_input_tokens} tokens`]),
    ...(items === undefined ? [] : [`${items} inputs`]),
    ...(status < 300 ? [] : [`status ${status}`]),
    ...(ttft_any === undefined ? [] : [`first reasoning ${at(sent, ttft_any)}`]),
    ...(reasoning_tokens === undefined ? [] : [`${reasoning_tokens} reasoning tokens`]),
    ...(outcome === "ok" && token_source === "chunks" ? ["no usage"] : []),
  ].join("; ");
}

/** The columns of an arrival that its first request fills. */
function requestColumns(own: readonly RequestRecord[]): Record<string, string> {
  const [record] = own;
  const content = record === undefined ? [] : contentOf(record);
  const isShown = record !== undefined && !record.op.startsWith("video.");
  return {
    sent: shown(record && at(record.sent)),
    headers: shown(isShown && record.ttfb !== undefined ? at(record.sent, record.ttfb) : undefined),
    content: content.length === 0 ? "-" : content.join(" "),
    end: shown(record && Math.max(...own.map(({ sent, e2e }) => at(sent, e2e)))),
    "input tokens": shown(record?.input_tokens),
    max_tokens: shown(record?.max_tokens),
    "output tokens": shown(record?.outcome === "ok" ? record.output_tokens : undefined),
    more: isShown ? remarksOn(record) : "",
  };
}

function callColumns({ op, sent, e2e, arrival, task_state, progress, cost, cancel_reason }: RequestRecord) {
  const call = op.replace("video.", "");
  return {
    arrival: shown(arrival),
    call: cancel_reason === undefined ? call : `${call}, as ${cancel_reason}`,
    sent: shown(at(sent)),
    end: shown(at(sent, e2e)),
    status:
      task_state === "processing" && progress !== undefined
        ? `${task_state}, progress ${progress}`
        : [task_state ?? "", ...(cost === undefined ? [] : [`cost ${cost}`])].join(", "),
  };
}

group("the run of the page", () => {
  test("is that of the fixture, arrival by arrival", async () => {
    const expected = (await unitsOf()).map(({ outcome, part, scheduled }, arrival) => ({
      arrival: shown(arrival),
      part: shown(part),
      due: shown(scheduled - readInstant(instant(0))),
      ...requestColumns(requests.filter((record) => record.arrival === arrival)),
      "outcome of arrival": outcome,
    }));
    expect(tableRows(page, ["arrival", "part", "due"])).toEqual(expected);
    expect(arrivals.map(({ index, end }) => expected[index]?.["outcome of arrival"] === end)).not.toContain(false);
  });

  test("has the calls of the fixture's video tasks", () => {
    const calls = requests.filter(({ op }) => op.startsWith("video."));
    const inTime = calls.toSorted((a, b) => (a.arrival ?? 0) - (b.arrival ?? 0) || at(a.sent) - at(b.sent));
    expect(tableRows(page, ["arrival", "call"])).toEqual(inTime.map(callColumns));
  });

  test("has the requests that a report counts", async () => {
    const units = await unitsOf();
    const { counts } = run;
    const having = (is: (unit: Unit) => boolean) =>
      units.flatMap((unit, arrival) => (is(unit) ? [arrival] : [])).join(" ");
    expect(tableRows(page, ["requests", "number"])).toEqual([
      { requests: "due", arrivals: having(() => true), number: shown(counts.offered) },
      { requests: "ok", arrivals: having(({ outcome }) => outcome === "ok"), number: shown(counts.ok) },
      {
        requests: "failed",
        arrivals: having(({ outcome }) => isFailure(outcome)),
        number: shown(counts.failed),
      },
      {
        requests: "unfinished",
        arrivals: having(({ outcome }) => outcome === "unfinished"),
        number: shown(counts.unfinished),
      },
    ]);
  });
});

/** `mean (1 + 2) / 2 = 1.5 ms`: the statistic, whether it is a lower bound, the arithmetic, the figure and its unit. */
const FIGURE = /^(?:(mean|max) )?(more than )?(?:(.+) = )?([\d.]+)(\/s|%| ms| tokens| items| bytes)?(?: \(.*\))?$/;
/** Metrics from the schedule, of which arrivals that never started have a lower bound. */
const CENSORED = METRIC_NAMES.filter((name) => run.metrics[name]?.atLeast !== undefined).length;
const UNITS = {
  ms: " ms",
  "1/s": "/s",
  share: "%",
  tokens: " tokens",
  items: " items",
  count: undefined,
  cost: undefined,
  bytes: " bytes",
};

/** What a report has of a figure of the page. */
function reported(result: MetricResult, statistic: string | undefined, isLowerBound: boolean): number | undefined {
  if (statistic !== "mean" && statistic !== "max") return result.value;
  return (isLowerBound ? result.atLeast : result)?.[statistic];
}

test("the SQL of the page gives the figures that a report has of the whole requests", async () => {
  const rows = tableRows(page, ["metric", "value of a request", "requests"]);
  const queries = rows.map(({ metric: name, "value of a request": value, requests: of }) => {
    const where = of === "all" ? "TRUE" : "outcome = 'ok'";
    return `SELECT '${name}' AS name, count(v) AS count, avg(v) AS mean, max(v) AS max FROM (SELECT ${value} AS v FROM requests WHERE phase = 'measure' AND ${where})`;
  });
  const found = await inDatabase(async (database) => {
    await readShards(database, [shard], { bounds: [] });
    return database.all(
      queries.join(" UNION ALL "),
      z.object({ name: z.string(), count: z.number(), mean: z.number(), max: z.number() }),
    );
  });
  const complete = found.filter(({ name }) => run.metrics[name]?.atLeast === undefined);
  expect(complete).toHaveLength(rows.length - CENSORED);
  for (const { name, count, mean, max } of complete) {
    const result = run.metrics[name];
    expect([name, count, result?.mean, result?.max]).toEqual([name, result?.count, expect.closeTo(mean, 6), max]);
  }
});

group("the figures of the page", () => {
  const rows = tableRows(page, ["metric", "in this run"]).map((row) => [row["metric"] ?? "", row] as const);

  test("are those of every metric", () => {
    expect(rows.map(([name]) => name).sort()).toEqual([...METRIC_NAMES].sort());
    const [first = ""] = METRIC_NAMES;
    const without = page.split("\n").filter((line) => !line.startsWith(`| \`${first}\` |`));
    expect(() => withDefinitions(without.join("\n"))).toThrow(`check ${first}`);
  });

  test.each(rows)("%s", (name, row) => {
    const result = run.metrics[name];
    const text = row["in this run"] ?? "";
    if (result === undefined) throw new Error(`The report has no ${name}.`);
    expect(row["n"]).toBe(shown(result.count));
    if (result.parts !== undefined && result.value === undefined && result.mean === undefined) {
      const parts = Object.entries(result.parts).map(([part, count]) => `${part} ${count}`);
      expect(text).toBe(parts.join(", "));
      return;
    }
    const [, statistic, lower, arithmetic, figure = "", unit] = FIGURE.exec(text) ?? [];
    expect(figure, `the figure in "${text}"`).not.toBe("");
    const known = METRIC_NAMES.find((candidate) => candidate === name);
    expect(unit).toBe(known && UNITS[metric(known).unit]);
    const factor = unit === "%" ? 100 : 1;
    const value = (reported(result, statistic, lower !== undefined) ?? Number.NaN) * factor;
    expect(Number(figure)).toBeCloseTo(value, 9);
    if (arithmetic !== undefined) expect(evaluate(arithmetic) * factor).toBeCloseTo(value, 9);
  });
});

group("the decisions of the page", () => {
  test("take every form of an objective that the page names", () => {
    const examples = tableRows(decisions, ["form", "example"]).flatMap(({ example = "" }) => example.split(", "));
    expect(examples.filter((expr) => parseSlo(expr).expr !== expr)).toEqual([]);
    expect(examples.length).toBeGreaterThan(0);
  });

  test.each(objectives.map((row, index) => [row["objective"], row, index] as const))("%s", (_, row, index) => {
    const result = run.slos[index];
    if (result === undefined) throw new Error("The report lacks an objective.");
    const { observed, word } = sloRow(result);
    expect({ observed: row["observed"], decision: row["decision"] }).toEqual({ observed, decision: word });
  });

  test("say how many units a share needs", () => {
    for (const { objective = "", "requests needed": needed } of tableRows(decisions, ["requests needed"])) {
      const { comparison, bound } = parseSlo(objective);
      expect(shown(unitsNeeded(comparison === "<" ? bound : 1 - bound)), objective).toBe(needed);
    }
  });

  test("say with how many failures a share is met and missed", () => {
    for (const row of tableRows(decisions, ["scheduled", "missed from"])) {
      const count = Number(row["scheduled"]);
      const verdicts = Array.from({ length: count + 1 }, (_, bad) => decideShare({ bad, count, allowed: 0.01 }));
      const met = verdicts.lastIndexOf(true);
      expect(row["met with at most"]).toBe(met < 0 ? "-" : `${met} failed`);
      expect(row["missed from"]).toBe(`${verdicts.indexOf(false)} failed`);
    }
  });

  test("say how many requests decide a percentile, by the share that is truly beyond its bound", () => {
    const shares = { "a quarter": 0.25, "a half": 0.5, "four fifths": 0.8 };
    const table = tableRows(read("sample-size"), ["percentile", "a quarter"]);
    expect(table.map(({ percentile }) => percentile)).toEqual(["p50", "p90", "p95", "p99", "p99.9"]);
    for (const row of table) {
      const allowed = 1 - Number(row["percentile"]?.slice(1)) / 100;
      for (const [column, share] of Object.entries({ none: 0, ...shares })) {
        const needed = unitsNeeded(Number(allowed.toFixed(3)), share * Number(allowed.toFixed(3)));
        expect(row[column], `${row["percentile"]}, ${column}`).toBe(needed?.toLocaleString("en"));
      }
    }
  });

  test("say how many samples a percentile needs", () => {
    expect(tableRows(decisions, ["percentile", "samples needed"])).toEqual(
      QUANTILES.map(({ label, minSamples }) => ({ percentile: label, "samples needed": shown(minSamples) })),
    );
  });

  test.each(tableRows(decisions, ["started", "had waited"]))("p50 of $started", async (row) => {
    const numbers = (text = ""): string => text.split(" ").map(Number).join(", ");
    const [summary, beyondOf] = await inDatabase(async (database) => {
      const sample = (text?: string) => new Sample(database, `SELECT unnest([${numbers(text)}]::DOUBLE[]) AS v`);
      const [least, largerThan] = [sample(row["started"]), sample(row["had waited"])];
      const beyond = new Map<string, Awaited<ReturnType<typeof beyondBound>>>();
      for (const expr of Object.keys(row).filter((column) => column.includes("<")))
        beyond.set(expr, await beyondBound(parseSlo(expr), { least, most: least, largerThan }));
      return [await censoredDistribution(least, largerThan), beyond] as const;
    });
    if (summary === undefined) throw new Error("There is nothing to describe.");
    const result = { unit: "ms", ...summary };
    expect(figureOf(result, "p50")).toBe(row["p50, as reported"]);
    for (const [expr, decision] of Object.entries(row).filter(([column]) => column.includes("<"))) {
      const slo = parseSlo(expr);
      const beyond = () => beyondOf.get(expr);
      expect(sloRow(evaluateSlo(slo, { ttft_scheduled: result }, { unfinished: 0, beyond })).word, expr).toBe(decision);
    }
  });

  test("say which percentile decides validity", () => {
    const expected = run.validity.lateness.map(({ name, samples, percentile, ms, limitMs }) => ({
      "load generator": name,
      samples: shown(samples),
      percentile,
      observed: `${ms} ms`,
      limit: `${limitMs} ms`,
    }));
    expect(tableRows(decisions, ["load generator", "percentile"])).toEqual(expected.toReversed());
  });
});
