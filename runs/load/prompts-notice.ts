/** What was read of files of prompts is said before a load: their layout, the first prompt, and what is left out. */

import { shorten } from "../../lib/text.ts";
import { hasTurns, messagesOf } from "../../load/inputs/prompts.ts";
import { formatNumber, plural } from "../../reports/numbers.ts";
import type { ArrivalProcess } from "../../settings/load/arrival-process.ts";
import { BUNDLED_PROMPTS } from "../../toolchain/bundle-scenario.ts";
import { readPrompts } from "./check-prompts.ts";
import type { LoadPlan } from "./plan-load.ts";

const EXCERPT = 60;

/** Undefined for a load without files of prompts of its own. */
export function promptsNotice({ settings }: LoadPlan): string | undefined {
  const { workloads, arrival } = settings;
  const used = workloads.filter(({ inputTokens }) => inputTokens === undefined);
  const files = new Set(used.flatMap(({ prompts = [] }) => prompts));
  const inTurns = (file: string): boolean => used.some(({ prompts, turns }) => prompts === file && turns !== undefined);
  // Of a trace that states lengths, prompts are made.
  const isMade = arrival.process === "trace" && settings.replayed?.["inputTokens"] !== undefined;
  const sentences = [...files]
    .filter((file) => file !== BUNDLED_PROMPTS && !isMade)
    .map((file) => inWords(file, arrival, inTurns(file)));
  return sentences.length === 0 ? undefined : sentences.join("\n");
}

function inWords(file: string, arrival: ArrivalProcess, inTurns: boolean): string {
  const { count, layout, first, unused, unusable, reasons } = readPrompts(file);
  const begin = JSON.stringify(shorten(messagesOf(first)[0]?.content ?? "", EXCERPT));
  const [reason] = reasons;
  return [
    `${file}: ${plural(count, "prompt")} (layout: ${layout}), the first ${begin}.`,
    ...(hasTurns(first) && !inTurns ? ["The first turn of each is sent; --turns 20 sends all."] : []),
    // What is not used of a trace is said with the rest of it.
    ...(unused.length === 0 || (arrival.process === "trace" && arrival.file === file)
      ? []
      : [`Not used: ${unused.join(", ")}.`]),
    ...(reason === undefined
      ? []
      : [
          `${formatNumber(unusable)} unusable ${unusable === 1 ? "entry" : "entries"} left out: ${reason}${unusable > 1 ? ", and others" : ""}.`,
        ]),
  ].join(" ");
}
