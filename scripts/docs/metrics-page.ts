/**
 * The definitions in docs/metrics.md, made from `load/objectives/metrics.ts`, and the SQL of metrics of single requests, made from what
 * reports run; the rest of each row is written by hand. Pure.
 */

import { METRIC_NAMES, type Metric, metric } from "../../load/objectives/metrics.ts";
import { metricSql, REQUEST_METRICS } from "../../reports/tables/metric-sql.ts";

/** How the tables begin whose second column holds definitions. */
const HEAD = "| metric | definition |";
const ROW = /^(\| `(\w+)` \|)[^|]*\|/;

/** How the table begins that holds the SQL of a metric. */
const SQL_HEAD = "| metric | value of a request | requests |";
const SQL_RULE = "| --- | --- | --- |";

/**
 * The page with its definitions and its SQL made anew.
 * @throws Error when a metric has no row, or more than one
 */
export function withDefinitions(page: string): string {
  const seen: string[] = [];
  let inTable = false;
  const lines = page.split("\n").map((line) => {
    inTable = line.startsWith(HEAD) || (inTable && line.startsWith("|"));
    const [, begin, name] = (inTable && ROW.exec(line)) || [];
    const known = METRIC_NAMES.find((candidate) => candidate === name);
    if (known === undefined) return line;
    seen.push(known);
    return line.replace(ROW, `${begin} ${inWords(metric(known))} |`);
  });
  const wrong = METRIC_NAMES.filter((name) => seen.filter((other) => other === name).length !== 1);
  if (wrong.length > 0) {
    throw new Error(
      `docs/metrics.md needs one row for each metric, with its formula and its figure in the example; check ${wrong.join(", ")}`,
    );
  }
  return withSql(lines).join("\n");
}

function withSql(lines: readonly string[]): string[] {
  const at = lines.indexOf(SQL_HEAD);
  if (at < 0) throw new Error(`docs/metrics.md needs the table ${SQL_HEAD}`);
  const end = lines.findIndex((line, index) => index > at && !line.startsWith("|"));
  return [...lines.slice(0, at), SQL_HEAD, SQL_RULE, ...REQUEST_METRICS.map(sqlRow), ...lines.slice(end)];
}

const sqlRow = (name: (typeof REQUEST_METRICS)[number]): string =>
  `| \`${name}\` | \`${metricSql(name).replace(/\s+/g, " ")}\` | ${metric(name).over === "all" ? "all" : "ok"} |`;

const inWords = ({ title, unit, definition }: Metric): string => `${title} (${unit}): ${definition}`;
