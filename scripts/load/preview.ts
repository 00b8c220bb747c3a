/** What a run would send, in words: for `--plan`, which sends nothing. */

import { readFileSync } from "node:fs";
import { plan } from "../../conformance/engine/request-plan.ts";
import { CHARACTERS_PER_TOKEN } from "../../lib/text.ts";
import type { LoadSettings } from "../../scenarios/load-settings.ts";
import { parsePrompts } from "../../scenarios/prompts.ts";
import { countWithin } from "../../scenarios/traces.ts";
import { SCENARIO_PARTS, type ScenarioPart } from "../../settings/parse.ts";
import { eventsIn } from "../../settings/rates.ts";
import { BUNDLED_PROMPTS } from "../build/bundle.ts";
import type { ConformancePlan } from "../conformance/run-suite.ts";
import type { LoadPlan } from "./run-load.ts";

const number = (value: number): string => Math.round(value).toLocaleString("en-US");
const range = ({ best, worst }: { best: number; worst: number }): string =>
  best === worst ? number(best) : `${number(best)} (at worst ${number(worst)})`;

/** The plan of a conformance run. */
export function conformancePlan({ settings, selections }: ConformancePlan): string {
  const { clauses, requests, chatRequests, embeddingRequests, inputTokens, videoJobs } = plan(selections, settings);
  return table(`Would judge ${settings.target}; nothing is sent.`, [
    ["clauses", number(clauses)],
    ["requests", range(requests)],
    ["of them chat", number(chatRequests)],
    ["of them embeddings", number(embeddingRequests)],
    ["input tokens, about", number(inputTokens)],
    ["video jobs", range(videoJobs)],
  ]);
}

/** The plan of a load; a closed loop sends as much as its target can take, which nobody knows before. */
export function loadPlan(plan: LoadPlan): string {
  const { scenario, settings, trace, segment } = plan;
  const { vus, prompts, target } = settings;
  const cost = costOf(scenario, settings);
  const promptTokens = cost.prompts * meanPromptTokens(prompts ?? BUNDLED_PROMPTS);
  const arrivals = arrivalsOf(plan);
  const known = Number.isFinite(arrivals);
  const times = known ? arrivals : 1;
  const pace = known ? "" : ` ${vus} users start again as fast as it answers, and each time that costs:`;
  const told = trace && countWithin(trace, settings.warmup + settings.duration, settings.maxRequests);
  return table(`Would load ${target} with ${scenario}; nothing is sent.${pace}`, [
    ["arrivals", number(times)],
    ...(segment === undefined || !known
      ? []
      : [[`of them in segment ${segment.part}/${segment.of}, about`, number(times / segment.of)] as const]),
    ["input tokens, about", number(told ? told.input(promptTokens) : times * promptTokens)],
    [
      "output tokens, at most",
      number(told && cost.outputTokens > 0 ? told.output(cost.outputTokens) : times * cost.outputTokens),
    ],
    ["video jobs", number(times * cost.videoJobs)],
  ]);
}

/** Arrivals of a whole run, warm-up included; infinite for users that nothing else bounds. */
function arrivalsOf({ settings, trace }: LoadPlan): number {
  const { rate, warmup, duration, maxRequests = Number.POSITIVE_INFINITY } = settings;
  if (trace !== undefined) return countWithin(trace, warmup + duration, maxRequests).arrivals;
  if (rate === undefined) return maxRequests;
  return Math.min(maxRequests, (warmup / 1_000) * (rate[0]?.from ?? 0) + eventsIn(rate, duration));
}

/** What an arrival costs, on average. */
interface Cost {
  readonly prompts: number;
  readonly outputTokens: number;
  readonly videoJobs: number;
}

/** Of a user's own scenario nothing is known; it is taken for chats. */
function costOf(scenario: string, settings: LoadSettings): Cost {
  const { maxTokens, batchSizes, mix } = settings;
  const chat: Cost = { prompts: 1, outputTokens: maxTokens, videoJobs: 0 };
  const costs: Readonly<Record<ScenarioPart, Cost>> = {
    "chat-stream": chat,
    chat,
    embeddings: { prompts: sum(batchSizes) / batchSizes.length, outputTokens: 0, videoJobs: 0 },
    video: { prompts: 1, outputTokens: 0, videoJobs: 1 },
  };
  const part = SCENARIO_PARTS.find((name) => name === scenario);
  if (part !== undefined) return costs[part];
  if (scenario !== "mixed") return chat;
  const weights = sum(mix.map(({ weight }) => weight));
  const mean = (of: (cost: Cost) => number): number =>
    sum(mix.map((entry) => of(costs[entry.part]) * entry.weight)) / weights;
  return {
    prompts: mean((cost) => cost.prompts),
    outputTokens: mean((cost) => cost.outputTokens),
    videoJobs: mean((cost) => cost.videoJobs),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function meanPromptTokens(file: string): number {
  const prompts = parsePrompts(readFileSync(file, "utf8"), file);
  return sum(prompts.map((prompt) => JSON.stringify(prompt).length)) / prompts.length / CHARACTERS_PER_TOKEN;
}

function table(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${[title, ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join("\n")}\n`;
}
