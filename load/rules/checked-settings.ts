/**
 * The settings of a load, checked as a whole: the command line checks what it was given, and k6 what it finds in `load.json`.
 * Pure: runs in Node and inside k6.
 */

import type { JsonObject } from "../../lib/json.ts";
import { noTarget } from "../../settings/address.ts";
import { formatArrivalProcess } from "../../settings/load/arrival-process.ts";
import type { ExtraBody } from "../../settings/load/extra-body.ts";
import type { GivenSettings } from "../../settings/load/load-json.ts";
import { drainOf } from "../../settings/load/load-table.ts";
import type { Prices } from "../../settings/load/prices.ts";
import { formatRates, steadyRate } from "../../settings/load/rates.ts";
import type { WorkloadEntry, Workloads } from "../../settings/load/workload.ts";
import { ofEveryWorkload, type WorkloadSettings } from "../../settings/load/workload-settings.ts";
import { formatDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { haveOwnArrivals } from "../inputs/random.ts";
import { checkInputs, checkOneSource, checkSessionHeader } from "./input-checks.ts";

/** Durations are milliseconds, rates arrivals per second, `startAt` milliseconds since 1970. */
export type LoadSettings = Omit<GivenSettings, "target" | "drain" | "mix" | "extraBody" | "prices"> & {
  readonly target: string;
  readonly drain: number;
  readonly extraBody?: JsonObject;
  readonly prices?: Prices;
  /** The workloads with all their settings; at least one. `workload` is absent where flags describe the only one. */
  readonly workloads: readonly Workload[];
};

/** A workload with all its settings: its own, and those of its load that it does not have. */
export interface Workload extends Omit<WorkloadSettings, "extraBody">, Partial<Omit<WorkloadEntry, "settings">> {
  /** Of one that a file describes. */
  readonly name?: string;
  readonly extraBody?: JsonObject;
}

/**
 * Checks settings that were read.
 * @throws UsageError when no target is given, two settings contradict each other, or a workload cannot be read
 */
export function checkedSettings({ target, mix: _, extraBody, prices, workload, ...rest }: GivenSettings): LoadSettings {
  if (target === undefined) throw noTarget();
  const wrong = contradiction(rest);
  if (wrong !== undefined) throw new UsageError(`Cannot shape the load: ${wrong}.`);
  checkOneSource(rest);
  if (rest.maxCost !== undefined && prices === undefined) {
    throw new UsageError(
      "Cannot limit the cost: max-cost is set, and no prices are. Give them with --set prices=FILE (see docs/cost.md).",
    );
  }
  const load = { ...rest, ...membersOf(extraBody, rest.noUsage) };
  if (workload !== undefined) requireOneSchedule(workload, rest);
  const workloads = workload?.workloads.map((entry) => workloadOf(entry, load)) ?? [ofEveryWorkload(load)];
  checkInputs(workloads, workload?.workloads);
  checkSessionHeader(rest.sessionHeader, workloads);
  if (rest.steadyOnly) requireSteadyLoad(rest, workloads);
  return {
    ...load,
    target,
    drain: drainOf(rest),
    ...(prices !== undefined && { prices: listed(prices) }),
    ...(workload !== undefined && { workload }),
    workloads,
  };
}

function listed(prices: Prices | string): Prices {
  if (typeof prices !== "string") return prices;
  throw new UsageError(`Cannot compute costs: prices is the name of a file, "${prices}". Write the prices themselves.`);
}

/** Workloads with arrivals of their own leave nothing to say of those of the load. */
function requireOneSchedule(
  { title, workloads }: Workloads,
  { rate, vus, arrival, shape, maxRequests }: OfArrivals,
): void {
  if (!haveOwnArrivals(workloads)) return;
  const set = [
    rate === undefined ? [] : `rate (${formatRates(rate)}/s)`,
    vus === undefined ? [] : `vus (${vus})`,
    shape === undefined ? [] : `the shape ${shape}`,
    maxRequests === undefined ? [] : `max-requests (${maxRequests})`,
    arrival.process === "trace" ? `the arrival process ${formatArrivalProcess(arrival)}` : [],
  ].flat();
  if (set.length === 0) return;
  throw new UsageError(
    `Cannot shape the load: ${set.join(" and ")} would be of the whole load, and each workload of ${title} has arrivals of its own. Leave it out, or give each workload a weight in place of its rate or vus.`,
  );
}

type OfArrivals = Pick<GivenSettings, "rate" | "vus" | "arrival" | "shape" | "maxRequests">;

type Common = Omit<WorkloadSettings, "extraBody"> & { readonly extraBody?: JsonObject };

function workloadOf(entry: WorkloadEntry, load: Common): Workload {
  const { settings, ...described } = entry;
  const { extraBody, header = [], ...own } = settings;
  const { noUsage = load.noUsage } = own;
  checkOneSource(own, entry.name);
  const { header: common = [], inputTokens, ...rest } = ofEveryWorkload(load);
  const others = common.filter(({ name }) => !header.some((other) => other.name.toLowerCase() === name.toLowerCase()));
  return {
    ...rest,
    ...(inputTokens && own.prompts === undefined && { inputTokens }),
    ...own,
    header: [...others, ...header],
    ...membersOf(extraBody, noUsage),
    ...described,
  };
}

const membersOf = (given: ExtraBody | undefined, noUsage?: boolean): { readonly extraBody?: JsonObject } =>
  given === undefined ? {} : { extraBody: checkedMembers(given, noUsage) };

/** `stream_options` is Assay's own as long as it asks for usage. */
function checkedMembers(given: ExtraBody, noUsage = false): JsonObject {
  if (typeof given === "string") {
    throw new UsageError(
      `Cannot add to chat requests: extra-body is the name of a file, "${given}". Write the JSON object itself.`,
    );
  }
  if (Object.hasOwn(given, "stream_options") && !noUsage) {
    throw new UsageError(
      "Cannot add to chat requests: extra-body has the member stream_options, by which Assay asks for usage. Leave it out, or use --set no-usage.",
    );
  }
  return given;
}

/** @throws UsageError for a load of which no steady part can be told */
function requireSteadyLoad(
  { rate, shape, maxRequests, records }: OfArrivals & Pick<GivenSettings, "records">,
  workloads: readonly Pick<Workload, "leave" | "arrival">[],
): void {
  const [because] = [
    shape === undefined ? [] : [`the shape ${shape} changes the rate`],
    rate === undefined || steadyRate(rate) !== undefined ? [] : [`the rate ${formatRates(rate)} changes`],
    workloads.some(({ arrival }) => arrival.process === "trace") ? ["a trace is replayed"] : [],
    maxRequests === undefined ? [] : ["max-requests counts from the begin of the measured time"],
    records === "full" ? [] : ["records of the form summary do not say when each gap was"],
    workloads.some(({ leave }) => leave) ? ["clients leave from the begin of the measured time on"] : [],
  ].flat();
  if (because === undefined) return;
  throw new UsageError(
    `Cannot leave out what is not steady (warmup auto, or steady-only): ${because}. Leave one of the two out, or give the warm-up a time such as 30s.`,
  );
}

/** Which settings exclude each other, as a sentence without its end; undefined when none do. */
function contradiction({
  rate,
  vus,
  arrival,
  rampUp,
  warmup,
  duration,
  shape,
}: OfArrivals & Pick<GivenSettings, "rampUp" | "warmup" | "duration">): string | undefined {
  if (duration === 0) return "the duration is 0, and nothing would be measured. Give one such as 30s";
  if (rampUp !== undefined && vus === undefined) {
    return "ramp-up is set, and there are no virtual users (vus) to start. For arrivals, write a rate that rises, such as 0..20,20";
  }
  if (rampUp !== undefined && rampUp > warmup + duration) {
    return `the ramp-up of ${formatDuration(rampUp)} is longer than warm-up and duration together (${formatDuration(warmup + duration)})`;
  }
  if (shape !== undefined && (vus !== undefined || arrival.process === "trace")) {
    return `the shape ${shape} changes a rate, and ${vus === undefined ? "a trace" : `vus (${vus})`} is set. Leave one of the two out`;
  }
  if (rate !== undefined && vus !== undefined) {
    return (
      `both rate (${formatRates(rate)}/s) and vus (${vus}) are set. ` +
      "Keep rate for an open loop, whose arrivals do not wait for the target, or vus for a closed loop, whose users wait for each response"
    );
  }
  if (vus !== undefined && arrival.process !== "constant") {
    return (
      `both vus (${vus}) and the arrival process ${formatArrivalProcess(arrival)} are set. ` +
      "A closed loop has no arrival process: leave one of the two out"
    );
  }
  return arrival.process !== "trace" || rate === undefined
    ? undefined
    : "both a rate and a trace are set, and the trace says when arrivals are due. Replay it faster or slower with its speed, such as trace:FILE@2 for twice as fast";
}
