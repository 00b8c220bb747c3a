/** What a load would send, for `--plan`, which sends nothing. */

import { CHARACTERS_PER_TOKEN } from "../../lib/text.ts";
import { readTextFile } from "../../lib/text-file.ts";
import type { LoadSettings } from "../../scenarios/process/checked-settings.ts";
import { countWithin, type Trace } from "../../scenarios/process/traces.ts";
import { parsePrompts } from "../../scenarios/prompts.ts";
import { costOf } from "../../scenarios/scenario-list.ts";
import { eventsIn } from "../../settings/rates.ts";
import { formatCount, preview } from "../cli/preview.ts";
import { BUNDLED_PROMPTS } from "../toolchain/bundle.ts";
import type { LoadPlan } from "./plan-load.ts";

/** The plan of a load; a closed loop sends as much as its target can take, which nobody knows before. */
export function loadPreview(plan: LoadPlan): string {
  const { scenario, settings, trace, segment } = plan;
  const { vus, prompts, target } = settings;
  const cost = costOf(scenario, settings);
  const promptTokens = cost.prompts * meanPromptTokens(prompts ?? BUNDLED_PROMPTS);
  const arrivals = arrivalsOf(plan);
  const isKnown = Number.isFinite(arrivals);
  const times = isKnown ? arrivals : 1;
  const pace = isKnown ? "" : ` ${vus} virtual users send as fast as it responds; each iteration costs:`;
  const told = trace && countWithin(trace, settings.warmup + settings.duration, bound(trace, settings));
  return preview(`Would load ${target} with ${scenario}; nothing is sent.${pace}`, [
    ["arrivals", formatCount(times)],
    ...(segment === undefined || !isKnown
      ? []
      : [[`  in segment ${segment.part}/${segment.of}, about`, formatCount(times / segment.of)] as const]),
    ["input tokens, about", formatCount(told ? told.input(promptTokens) : times * promptTokens)],
    [
      "output tokens, at most",
      formatCount(told && cost.outputTokens > 0 ? told.output(cost.outputTokens) : times * cost.outputTokens),
    ],
    ["video tasks", formatCount(times * cost.videoJobs)],
  ]);
}

/** Arrivals of a whole run, warm-up included; infinite for users that nothing else limits. */
function arrivalsOf({ settings, trace }: LoadPlan): number {
  const { rate, warmup, duration, maxRequests = Number.POSITIVE_INFINITY } = settings;
  if (trace !== undefined) return countWithin(trace, warmup + duration, bound(trace, settings)).arrivals;
  if (rate === undefined) return warmup > 0 ? Number.POSITIVE_INFINITY : maxRequests;
  return (warmup / 1_000) * (rate[0]?.from ?? 0) + Math.min(maxRequests, eventsIn(rate, duration));
}

/** Arrivals of a trace at most, those of its warm-up included. */
const bound = (trace: Trace, { warmup, maxRequests = Number.POSITIVE_INFINITY }: LoadSettings): number =>
  countWithin(trace, warmup).arrivals + maxRequests;

function meanPromptTokens(file: string): number {
  const prompts = parsePrompts(readTextFile(file), file);
  const characters = prompts.reduce((sum, prompt) => sum + JSON.stringify(prompt).length, 0);
  return characters / prompts.length / CHARACTERS_PER_TOKEN;
}
