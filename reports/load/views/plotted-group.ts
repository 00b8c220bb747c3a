/** What the plots of a group of requests share: the requests that are dots, and the objectives that are lines. */

import type { RunResult } from "../../../formats/run.ts";
import type { ChartGroup } from "../../../formats/run-charts.ts";
import type { NotableRequest } from "../../../formats/run-requests.ts";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { parseSlo, type Slo } from "../../../load/objectives/slo.ts";
import { modelOfPart } from "../../../settings/load/models.ts";
import { formatNumber } from "../../numbers.ts";
import type { LinkedDot, Mark } from "../../page/plot.ts";

/** What the plots of a group are made of. */
export interface PlottedGroup {
  readonly run: RunResult;
  readonly group: ChartGroup;
  /** Unique within the page. */
  readonly id: string;
}

export const titleOf = (name: MetricName): string => metric(name).title;

/** The requests that the page lists and that are of the group, at a value of theirs. */
export function dotsOf(
  { run, group }: PlottedGroup,
  placeOf: (request: NotableRequest) => readonly [x: number, y: number] | undefined,
): LinkedDot[] {
  return [...listedOf(run).values()].flatMap((request) => {
    const place = isOf(run, group, request) ? placeOf(request) : undefined;
    return place === undefined ? [] : [dotOf(request, ...place)];
  });
}

/** The requests that the page lists, by id. */
export function listedOf({ requests }: RunResult): ReadonlyMap<string, NotableRequest> {
  const { slowest = {}, failed = [] } = requests ?? {};
  return new Map([...failed, ...Object.values(slowest).flat()].map((request) => [request.id, request] as const));
}

/** A link to a request. */
export const dotOf = ({ id, outcome, sentS }: NotableRequest, x: number, y: number): LinkedDot => {
  const text = `${outcome}, sent at ${formatNumber(Number(sentS.toFixed(2)))} s`;
  return { x, y, href: `#req-${id}`, text, colour: outcome === "ok" ? "s5" : "bad" };
};

function isOf({ tenants }: RunResult, { by, name, op }: ChartGroup, request: NotableRequest): boolean {
  if ((request.op.startsWith("video.") ? "video" : request.op) !== op) return false;
  const value = name.replace(/ · [^·]*$/, "");
  if (by === "workload") return request.workload === value;
  if (by === "tenant") return tenants?.[value]?.workloads.includes(request.workload ?? "") ?? false;
  if (by === "model") return request.model === value;
  return by === "turn" ? String(request.turn) === value : true;
}

export interface Objective {
  readonly expr: string;
  readonly bound: number;
  readonly missed: boolean;
  /** Of a mean or a percentile of the whole measured time: where that of the target lies, in the unit of the metric. */
  readonly lies?: { readonly of: string; readonly between: readonly [number, number] };
}

/** The objectives on a metric that are for the group. */
export function objectivesOf({ run, group }: PlottedGroup, name: MetricName): Objective[] {
  return run.slos.flatMap(({ expr, ok, interval: [low, high] = [null, null] }) => {
    const slo = parseSlo(expr);
    if (slo.metric !== name || !isFor(slo, group)) return [];
    const isKnown = slo.within === undefined && low !== null && high !== null;
    const lies = isKnown && { of: slo.statistic ?? "", between: [low, high] as const };
    return [{ expr: slo.expr, bound: slo.bound, missed: ok === false, ...(lies && { lies }) }];
  });
}

function isFor({ part }: Slo, { by, name }: ChartGroup): boolean {
  if (part === undefined) return true;
  const model = modelOfPart(part);
  return model === undefined ? by === "workload" && name === part : by === "model" && name === model;
}

/** Lines of the objectives that the plot has room for; the others are named. */
export function marksWithin(objectives: readonly Objective[], most: number): { marks: Mark[]; note: string } {
  const marks = objectives.filter(({ bound }) => bound <= most);
  const others = objectives.filter(({ bound }) => bound > most).map(({ expr }) => expr);
  return {
    marks: marks.map(({ expr, bound, missed }) => ({ kind: "y", at: bound, label: expr, missed })),
    note: others.length === 0 ? "" : `; above the plot: ${others.join(", ")}`,
  };
}
