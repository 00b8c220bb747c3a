/**
 * The scenarios that come with Assay: each is a file of this name beside this one, and a row here, from which the command
 * line, the bundler, `--plan`, the mixed scenario and the demo take what they know of it. Pure: runs in Node and inside k6.
 */

import { PARTS as MIXED_PARTS, type Part } from "../formats/outcomes.ts";
import type { WeightedPart } from "../settings/mix.ts";

/** What an arrival costs, on average. */
export interface ArrivalCost {
  readonly prompts: number;
  /** At most. */
  readonly outputTokens: number;
  readonly videoJobs: number;
}

interface CostSettings {
  readonly maxTokens: number;
  readonly batchSizes: readonly number[];
  readonly mix: readonly WeightedPart<Part>[];
}

interface Scenario {
  /** Arrivals per second when neither `rate` nor `vus` is given: low, and lower where a request may cost money. */
  readonly rate: number;
  readonly cost: (settings: CostSettings) => ArrivalCost;
  /** Flags of its load in `assay demo`: short, but enough to show every number and to decide the objectives. */
  readonly demo: Readonly<Record<string, string | true>>;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const chatCost = ({ maxTokens }: CostSettings): ArrivalCost => ({ prompts: 1, outputTokens: maxTokens, videoJobs: 0 });

/** Scenarios that the mixed one can be made of. */
const PART_SCENARIOS: Readonly<Record<Part, Scenario>> = {
  "chat-stream": { rate: 5, cost: chatCost, demo: { rate: "40/s", duration: "10s", warmup: "2s" } },
  chat: { rate: 5, cost: chatCost, demo: { vus: "20", duration: "5s", warmup: "1s" } },
  embeddings: {
    rate: 5,
    cost: ({ batchSizes }) => ({ prompts: sum(batchSizes) / batchSizes.length, outputTokens: 0, videoJobs: 0 }),
    demo: { rate: "80/s", duration: "4s", warmup: "1s" },
  },
  video: {
    rate: 0.2,
    cost: () => ({ prompts: 1, outputTokens: 0, videoJobs: 1 }),
    demo: {
      ...{ rate: "4/s", duration: "4s", warmup: "0", pollInterval: "100ms", cancelShare: "0.25" },
      ...{ noDefaultSlos: true, slo: "error_rate<20%,ok>=1" },
    },
  },
};

/** Whether the mixed scenario can be made of it. */
export const isScenarioPart = (name: string): name is Part => Object.hasOwn(MIXED_PARTS, name);

/** Name of each scenario → what is known of it. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...PART_SCENARIOS,
  mixed: {
    rate: 5,
    cost: (settings) => {
      const costs = settings.mix.map(({ part, weight }) => ({ weight, ...PART_SCENARIOS[part].cost(settings) }));
      const mean = (name: keyof ArrivalCost): number =>
        sum(costs.map((cost) => cost[name] * cost.weight)) / sum(costs.map(({ weight }) => weight));
      return { prompts: mean("prompts"), outputTokens: mean("outputTokens"), videoJobs: mean("videoJobs") };
    },
    demo: { rate: "80/s", duration: "4s", warmup: "1s", pollInterval: "100ms" },
  },
};

export const SCENARIO_PARTS: readonly string[] = Object.keys(MIXED_PARTS);

/** Default rate of a user's own scenario, in arrivals per second. */
export const OWN_RATE = 1;

const known = (scenario: string): Scenario | undefined =>
  Object.hasOwn(SCENARIOS, scenario) ? SCENARIOS[scenario] : undefined;

/** Arrivals per second of a scenario when neither `rate` nor `vus` is given. */
export const defaultRate = (scenario: string): number => known(scenario)?.rate ?? OWN_RATE;

/** What an arrival of a scenario costs; a user's own is taken for chats. */
export const costOf = (scenario: string, settings: CostSettings): ArrivalCost =>
  (known(scenario)?.cost ?? chatCost)(settings);
