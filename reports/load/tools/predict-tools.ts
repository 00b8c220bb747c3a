/**
 * From the streamed chats of a run to what other tools would have printed for them, by the rows of the table. A figure becomes
 * the tool's in steps, each of which changes one thing of how Assay computes it; what a step changes is a cause. Pure.
 */

import type { Outcome } from "../../../formats/outcomes.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { ToolFigure, ToolResult } from "../../../formats/run-tools.ts";
import { METRICS } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import { plural } from "../../numbers.ts";
import { ourFigures } from "../metrics/request-metrics.ts";
import { hasUsage, quantity, tokens } from "./quantities.ts";
import { SamplePool, STATISTICS, type Statistics } from "./sample-pool.ts";
import { TOOLS, type Tool, type ToolLatency, type ToolRate } from "./tool-table.ts";

/** Outcomes of requests that Assay ended, or could not send: what they would have become for another tool is not known. */
const ENDED_BY_ASSAY: readonly Outcome[] = [
  "stalled",
  "timeout",
  "too_large",
  "client_error",
  "cancelled_by_us",
  "left",
];

/** What a prediction is set beside. */
type MeasuredRun = Pick<RunResult, "ops" | "metrics" | "durationS">;

/** Requests that figures are of: those of Assay, all that ended, or those that a tool takes for successful. */
type Taken = (request: RequestRecord) => boolean;

const isOk: Taken = ({ outcome }) => outcome === "ok";
const all: Taken = () => true;

/** The samples that a latency becomes the tool's in: measured and ok, of the whole run, taken by the tool, its quantity. */
interface Steps {
  readonly row: ToolLatency;
  readonly pools: readonly SamplePool[];
}

export class ToolPrediction {
  readonly #tools: readonly PredictedTool[];
  /** By outcome, how many requests Assay ended itself. */
  readonly #left = new Map<string, number>();
  /** Of a run whose records hold no single gaps, or reasoning: why times between events are not known. */
  #unknownGaps: string | undefined;

  /** @param names of rows of the table */
  constructor(names: readonly string[]) {
    this.#tools = names.flatMap((name) => {
      const tool = TOOLS[name];
      return tool === undefined ? [] : [new PredictedTool(name, tool)];
    });
  }

  /** Adds a request of the run; other than streamed chats are ignored. */
  add(request: RequestRecord): void {
    if (request.op !== "chat.stream") return;
    if (ENDED_BY_ASSAY.includes(request.outcome)) {
      this.#left.set(request.outcome, (this.#left.get(request.outcome) ?? 0) + 1);
      return;
    }
    this.#unknownGaps ??= unknownGapsOf(request);
    for (const tool of this.#tools) tool.add(request);
  }

  /** What each tool would have printed. */
  results(run: MeasuredRun): ToolResult[] {
    const left = [...this.#left].map(([outcome, count]) => `${outcome} ×${count}`).join(", ");
    const notes = left === "" ? [] : [`Left out: requests that Assay ended itself (${left}).`];
    return this.#tools.map((tool) => tool.result(run, this.#unknownGaps, notes));
  }
}

function unknownGapsOf({ gaps_over_us, ttlt_any }: RequestRecord): string | undefined {
  if (gaps_over_us !== undefined) return "the records hold no single gaps (--records summary)";
  return ttlt_any === undefined ? undefined : "the times between events with reasoning are not recorded";
}

class PredictedTool {
  readonly #name: string;
  readonly #tool: Tool;
  readonly #steps: readonly Steps[];
  #successful = 0;
  #failed = 0;
  #outside = 0;
  #more = 0;
  #less = 0;
  #tokens = 0;
  #start = Number.POSITIVE_INFINITY;
  #lastSent = Number.NEGATIVE_INFINITY;
  #end = Number.NEGATIVE_INFINITY;

  constructor(name: string, tool: Tool) {
    this.#name = name;
    this.#tool = tool;
    this.#steps = tool.latencies.map((row) => ({ row, pools: [0, 1, 2, 3].map(() => new SamplePool()) }));
  }

  add(request: RequestRecord): void {
    const { ends, needsUsage } = this.#tool;
    const isSuccessful = this.#isSuccessful(request);
    const measured = request.phase === "measure";
    if (isSuccessful) {
      this.#successful += 1;
      this.#tokens += needsUsage && !hasUsage(request) ? 0 : tokens(request);
    } else this.#failed += 1;
    if (!measured) this.#outside += 1;
    if (isSuccessful && !isOk(request)) this.#more += 1;
    if (!isSuccessful && isOk(request)) this.#less += 1;
    const sent = readInstant(request.sent);
    const last = (isSuccessful ? quantity(ends).of(request) : undefined) ?? request.e2e ?? 0;
    this.#start = Math.min(this.#start, sent);
    this.#lastSent = Math.max(this.#lastSent, sent);
    this.#end = Math.max(this.#end, sent + (typeof last === "number" ? last : 0));
    for (const { row, pools } of this.#steps) this.#addTo(row, pools, request, measured);
  }

  #isSuccessful(request: RequestRecord): boolean {
    const { successful, needsFirst } = this.#tool;
    if (!isOk(request) && !successful.includes(request.outcome)) return false;
    return needsFirst === undefined || quantity(needsFirst).of(request) !== undefined;
  }

  #addTo(row: ToolLatency, pools: Steps["pools"], request: RequestRecord, measured: boolean): void {
    const taken = row.ofAll ? all(request) : this.#isSuccessful(request);
    const ours = quantity(row.metric).of(request);
    const [first, second, third, fourth] = pools;
    if (isOk(request) && measured) addTo(first, ours);
    if (isOk(request)) addTo(second, ours);
    if (!taken) return;
    addTo(third, ours);
    addTo(fourth, quantity(row.quantity).of(request));
  }

  result(run: MeasuredRun, unknownGaps: string | undefined, notes: readonly string[]): ToolResult {
    const figures = [
      ...this.#steps.map(({ row, pools }) =>
        quantity(row.quantity).ofGaps && unknownGaps !== undefined
          ? unknownFigure(row, unknownGaps)
          : this.#latency(row, pools, run),
      ),
      ...this.#tool.rates.map((row) => this.#rate(row, run)),
    ];
    return {
      tool: this.#name,
      version: this.#tool.version,
      successful: this.#successful,
      failed: this.#failed,
      figures: figures.filter(({ count, unknown }) => count > 0 || unknown !== undefined),
      notes: [...this.#tool.notes, ...notes],
    };
  }

  #latency(row: ToolLatency, pools: Steps["pools"], run: MeasuredRun): ToolFigure {
    const { ranks } = this.#tool;
    const [first, second, third, last] = pools.map((pool) => pool.statistics("nearest"));
    const printed = pools.at(-1)?.statistics(ranks);
    const ours = ourFigures(run)[row.metric];
    const isTooFew = printed !== undefined && STATISTICS.some((name) => ours?.[name] === undefined);
    return {
      name: row.name,
      metric: row.metric,
      unit: METRICS[row.metric].unit,
      count: pools.at(-1)?.count ?? 0,
      ...printed,
      causes: [
        ...(this.#outside === 0
          ? []
          : [cause(`counts ${plural(this.#outside, "request")} outside the measured window`, first, second)]),
        ...this.#populationCauses(row, second, third),
        ...(row.quantity === row.metric
          ? []
          : [cause(`measures ${quantity(row.quantity).words}; Assay ${quantity(row.metric).words}`, third, last)]),
        ...(ranks === "nearest" ? [] : [cause("interpolates percentiles between two measured values", last, printed)]),
        ...(isTooFew ? [{ text: "prints percentiles of any number of samples" }] : []),
      ],
    };
  }

  #populationCauses({ ofAll }: ToolLatency, before: Statistics | undefined, after: Statistics | undefined) {
    if (ofAll) return this.#failed + this.#more === 0 ? [] : [cause("counts failed requests too", before, after)];
    const texts = [
      ...(this.#more === 0 ? [] : [`takes ${plural(this.#more, "request")} for successful that failed`]),
      ...(this.#less === 0 ? [] : [`takes ${plural(this.#less, "request")} without content for failed`]),
    ];
    return texts.length === 0 ? [] : [cause(texts.join(", and "), before, after)];
  }

  #rate({ name, metric, ofAll }: ToolRate, run: MeasuredRun): ToolFigure {
    const all = this.#successful + this.#failed;
    const { beginsBefore } = this.#tool;
    const interval = beginsBefore && all > 1 ? (this.#lastSent - this.#start) / (all - 1) : 0;
    const seconds = (this.#end - this.#start + interval) / 1_000;
    const requests = ofAll ? all : this.#successful;
    const amount = metric === "requests_per_s" ? requests : this.#tokens;
    const value = amount / seconds;
    const ours = ourFigures(run)[metric]?.value;
    const text = `divides all by the ${seconds.toFixed(1)} s from ${beginsBefore ? "one interval before " : ""}the first request to the end of the last; Assay counts what ended in the measured ${run.durationS.toFixed(1)} s`;
    const change = ours === undefined ? {} : { statistic: "value" as const, change: value - ours };
    return {
      name,
      metric,
      unit: METRICS[metric].unit,
      count: seconds > 0 ? requests : 0,
      value,
      causes: [{ text, ...change }],
    };
  }
}

const unknownFigure = ({ name, metric }: ToolLatency, unknown: string): ToolFigure => ({
  name,
  metric,
  unit: METRICS[metric].unit,
  count: 0,
  causes: [],
  unknown,
});

function addTo(pool: SamplePool | undefined, value: number | readonly number[] | undefined): void {
  if (typeof value === "number") pool?.add(value);
  else for (const each of value ?? []) pool?.add(each);
}

/** A change below this share of a figure is none. */
const CHANGED = 0.0005;

/** A step from one set of figures to another, with the one that it changes most. */
function cause(
  text: string,
  before: Statistics | undefined,
  after: Statistics | undefined,
): ToolFigure["causes"][number] {
  if (before === undefined || after === undefined) return { text };
  const changes = STATISTICS.map((statistic) => ({ statistic, change: after[statistic] - before[statistic] }));
  const [most] = changes.toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
  if (most === undefined || Math.abs(most.change) <= CHANGED * Math.abs(before[most.statistic])) return { text };
  return { text, ...most };
}
