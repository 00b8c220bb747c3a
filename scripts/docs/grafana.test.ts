/** The dashboards and the alert rules in docs/grafana/ name metrics and labels that Assay sends, and no others. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const dashboard = z.object({
  uid: z.string(),
  templating: z.object({
    list: z.array(z.object({ name: z.string(), query: z.union([z.string(), z.object({ query: z.string() })]) })),
  }),
  panels: z.array(
    z.object({
      id: z.number(),
      gridPos: z.object({ x: z.number(), y: z.number() }),
      targets: z.array(z.object({ expr: z.string() })).min(1),
    }),
  ),
});
const rules = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string(), for: z.string() })) })),
});

/** The series of Prometheus that k6 makes of the metrics of our module: `_seconds` of times, `_total` of counters. */
const module = read("extension/module/metrics.go");
const PROMETHEUS = [
  ...[...module.matchAll(/trend\("(\w+)"\)/g)].map(([, name]) => `k6_${name}_seconds`),
  ...[...module.matchAll(/counter\("(\w+)"\)/g)].map(([, name]) => `k6_${name}_total`),
];

/** Those that a receiver of OTLP makes of our instruments: dots become underscores, the unit and the kind follow. */
const instruments = read("extension/otlp/instruments.go");
const underscored = (name = ""): string => name.replaceAll(".", "_");
const OTLP = [
  ...[...instruments.matchAll(/seconds\("([\w.]+)"/g)].map(([, name]) => `${underscored(name)}_seconds_bucket`),
  ...[...instruments.matchAll(/Int64Histogram\("([\w.]+)"/g)].map(([, name]) => `${underscored(name)}_sum`),
  ...[...instruments.matchAll(/Int64Counter\("([\w.]+)"/g)].map(([, name]) => `${underscored(name)}_total`),
];
const ATTRIBUTES = [...instruments.matchAll(/attribute\.String\("([\w.]+)"/g)].map(([, name]) => underscored(name));

/** The tags of k6's outputs, as docs/outputs.md lists them. */
const TAGS = /with the tags (`op`.*?)\./s.exec(read("docs/outputs.md"))?.[1]?.match(/(?<=`)\w+(?=`)/g) ?? [];

/** Names of series: what is not in braces, brackets or quotes, and has an underscore. */
const seriesIn = (expr: string): readonly string[] =>
  expr.replace(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)|histogram_quantile|label_values/g, " ").match(/\b[a-z]\w*_\w+/g) ??
  [];
const labelsIn = (expr: string): readonly string[] => [
  ...[...expr.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, name = ""]) => name),
  ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(", ")),
];

const files: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["assay-prometheus", PROMETHEUS, TAGS],
  ["assay-otlp", OTLP, [...ATTRIBUTES, "instance", "le"]],
];

test.each(files)("%s.json asks for what is sent", (name, series, labels) => {
  const { panels, templating, uid } = dashboard.parse(JSON.parse(read(`docs/grafana/${name}.json`)));
  expect(uid).toBe(name);
  const exprs = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(exprs.length).toBeGreaterThan(10);
  const runs = templating.list.flatMap(({ query }) => (typeof query === "string" ? [] : [query.query]));
  expect(runs.length).toBe(1);
  for (const expr of [...exprs, ...runs]) {
    expect(seriesIn(expr).length, expr).toBeGreaterThan(0);
    expect(series, expr).toEqual(expect.arrayContaining([...seriesIn(expr)]));
    expect(labels, expr).toEqual(expect.arrayContaining([...labelsIn(expr)]));
  }
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
});

test("the alert rules ask for what is sent", () => {
  const [group] = rules.parse(parse(read("docs/grafana/alerts.yaml"))).groups;
  expect(group?.rules.length).toBe(3);
  for (const { expr } of group?.rules ?? []) {
    expect(PROMETHEUS, expr).toEqual(expect.arrayContaining([...seriesIn(expr)]));
    expect(TAGS, expr).toEqual(expect.arrayContaining([...labelsIn(expr)]));
  }
});

test("the recording rules ask for what is sent, and for quantiles of the merged histograms of all runners", () => {
  const recorded = z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ record: z.string(), expr: z.string() })) })),
  });
  const [group] = recorded.parse(parse(read("docs/grafana/recording-rules.yaml"))).groups;
  expect(new Set(group?.rules.map(({ record }) => record)).size).toBe(10);
  for (const { record, expr } of group?.rules ?? []) {
    expect(PROMETHEUS, expr).toEqual(expect.arrayContaining([...seriesIn(expr)]));
    expect(TAGS, expr).toEqual(expect.arrayContaining([...labelsIn(expr)]));
    const [, name, share] = /^assay:(\w+_seconds):p(\d+)$/.exec(record) ?? [];
    const merged = `sum by (testid, op) (rate(k6_assay_${name}{phase="measure"}[1m]))`;
    if (name !== undefined) expect(expr).toBe(`histogram_quantile(0.${share}, ${merged})`);
  }
});

test("the provisioning of dashboards is what Grafana reads: files of a folder", () => {
  const provider = z.object({ name: z.string(), type: z.literal("file"), options: z.object({ path: z.string() }) });
  const { providers } = z
    .object({ apiVersion: z.literal(1), providers: z.array(provider) })
    .parse(parse(read("docs/grafana/provisioning.yaml")));
  expect(providers.map(({ options }) => options.path)).toEqual(["/var/lib/grafana/dashboards/assay"]);
});
