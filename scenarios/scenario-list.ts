/**
 * The scenarios that come with Assay: each is a file of this name beside this one, and a row here, from which the command
 * line, the bundler, `--plan`, the mixed scenario and the demo take what they know of it. Pure: runs in Node and inside k6.
 */

import type { WorkloadKind } from "../contract/operations.ts";
import type { Choices } from "../settings/choices.ts";
import type { Turns } from "../settings/load/drawn-values.ts";
import { eventsIn, type RateProfile } from "../settings/load/rates.ts";

/** What an arrival costs, on average. */
export interface ArrivalCost {
  readonly requests: number;
  /** With what later turns of a conversation send again. */
  readonly inputTokens: number;
  /** At most. */
  readonly outputTokens: number;
  readonly videoJobs: number;
}

export interface CostSettings {
  /** Tokens of a prompt, on average; absent: not known. */
  readonly promptTokens?: number;
  /** The mean, where it is drawn. */
  readonly maxTokens: number;
  readonly batchSizes: Choices<number>;
  readonly turns?: Turns | undefined;
}

interface Scenario {
  /** Arrivals per second when neither `rate` nor `vus` is given: low, and lower where a request may cost money. */
  readonly rate: number;
  readonly cost: (settings: CostSettings) => ArrivalCost;
  /** Flags of its load in `assay demo`: short, but enough to show every number and to decide the objectives. */
  readonly demo: Readonly<Record<string, string | true>>;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Each turn of a conversation sends all earlier prompts and responses again. */
function chatCost({ promptTokens = 0, maxTokens, turns = { min: 1, max: 1 } }: CostSettings): ArrivalCost {
  const mean = (of: (n: number) => number): number => {
    const lengths = Array.from({ length: turns.max - turns.min + 1 }, (_, more) => turns.min + more);
    return sum(lengths.map(of)) / lengths.length;
  };
  const inputTokens = mean((n) => n * promptTokens + ((n * (n - 1)) / 2) * (promptTokens + maxTokens));
  const requests = mean((n) => n);
  return { requests, inputTokens, outputTokens: requests * maxTokens, videoJobs: 0 };
}

function meanOf({ values, weights = values.map(() => 1) }: Choices<number>): number {
  return sum(values.map((value, nth) => value * (weights[nth] ?? 0))) / sum(weights);
}

/** Scenarios that the mixed one can be made of. */
const KIND_SCENARIOS: Readonly<Record<WorkloadKind, Scenario>> = {
  "chat-stream": { rate: 5, cost: chatCost, demo: { rate: "40/s", duration: "10s", warmup: "2s" } },
  chat: { rate: 5, cost: chatCost, demo: { vus: "20", duration: "5s", warmup: "1s" } },
  embeddings: {
    rate: 5,
    cost: ({ promptTokens = 0, batchSizes }) => ({
      requests: 1,
      inputTokens: meanOf(batchSizes) * promptTokens,
      outputTokens: 0,
      videoJobs: 0,
    }),
    demo: { rate: "80/s", duration: "4s", warmup: "1s" },
  },
  video: {
    rate: 0.2,
    cost: ({ promptTokens = 0 }) => ({ requests: 1, inputTokens: promptTokens, outputTokens: 0, videoJobs: 1 }),
    demo: {
      ...{ rate: "4/s", duration: "4s", warmup: "0", pollInterval: "100ms", cancelShare: "0.25" },
      ...{ noDefaultSlos: true, slo: "error_rate<20%,ok>=1" },
    },
  },
};

/** Name of each scenario → what is known of it. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...KIND_SCENARIOS,
  mixed: {
    rate: 5,
    cost: chatCost,
    demo: { rate: "80/s", duration: "4s", warmup: "1s", pollInterval: "100ms" },
  },
};

/** Default rate of a user's own scenario, in arrivals per second. */
export const OWN_RATE = 1;

const known = (scenario: string): Scenario | undefined =>
  Object.hasOwn(SCENARIOS, scenario) ? SCENARIOS[scenario] : undefined;

/**
 * Arrivals per second of a load when neither `rate` nor `vus` is given: that of its scenario; of workloads the lowest, since
 * one of them may be costly.
 */
export function defaultRate(
  scenario: string,
  workloads: readonly { readonly operation?: WorkloadKind | undefined }[] = [],
): number {
  const rates = workloads.map(({ operation }) => (operation === undefined ? OWN_RATE : KIND_SCENARIOS[operation].rate));
  return known(scenario)?.rate ?? (rates.length === 0 ? OWN_RATE : Math.min(...rates));
}

/** What the arrivals of a trace send, on average, where lengths that it does not state are these. */
interface Stated {
  readonly stated?:
    | ((unknown: {
        readonly input: number;
        readonly output: number;
      }) => Pick<ArrivalCost, "requests" | "inputTokens" | "outputTokens">)
    | undefined;
}

/** A workload, as far as its costs are concerned. */
interface CostedWorkload extends CostSettings, Stated {
  readonly operation?: WorkloadKind | undefined;
  readonly weight?: number | undefined;
  readonly rate?: RateProfile;
  /** How many it has, where they are its own and known; then those of all workloads are. */
  readonly arrivals?: number | undefined;
}

interface CostedLoad extends CostSettings, Stated {
  readonly workload?: unknown;
  readonly workloads: readonly CostedWorkload[];
}

/** What an arrival of each workload costs, and its share of all arrivals; of a scenario, that alone. A user's own is taken for chats. */
export function costsOf(scenario: string, settings: CostedLoad): readonly (ArrivalCost & { readonly share: number })[] {
  if (settings.workload === undefined) {
    return [{ ...withStated((known(scenario)?.cost ?? chatCost)(settings), settings), share: 1 }];
  }
  const costs = settings.workloads.map((workload) => {
    const { operation, weight, arrivals, rate = [] } = workload;
    const cost = (operation === undefined ? chatCost : KIND_SCENARIOS[operation].cost)(workload);
    return { ...withStated(cost, workload), share: weight ?? arrivals ?? eventsIn(rate, MINUTE_MS) };
  });
  const shares = sum(costs.map(({ share }) => share));
  return costs.map((cost) => ({ ...cost, share: shares === 0 ? 0 : cost.share / shares }));
}

function withStated(cost: ArrivalCost, { stated }: Stated): ArrivalCost {
  if (stated === undefined) return cost;
  const { outputTokens, ...others } = stated({ input: cost.inputTokens, output: cost.outputTokens });
  return { ...cost, ...others, outputTokens: cost.outputTokens > 0 ? outputTokens : 0 };
}

/** The same on average over the workloads. */
export function costOf(scenario: string, settings: CostedLoad): ArrivalCost {
  const costs = costsOf(scenario, settings);
  const mean = (name: keyof ArrivalCost): number => sum(costs.map((cost) => cost[name] * cost.share));
  return {
    requests: mean("requests"),
    inputTokens: mean("inputTokens"),
    outputTokens: mean("outputTokens"),
    videoJobs: mean("videoJobs"),
  };
}

const MINUTE_MS = 60_000;
