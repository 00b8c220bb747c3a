/** What became of canary prompts under load (`--canary`): their responses, compared with those that each had alone. */

import { canaryHeader, canaryLine } from "../../../formats/canary.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { parseJson } from "../../../lib/json.ts";
import { metric } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import type { Lines } from "../../json-lines.ts";
import { formatNumber, plural } from "../../numbers.ts";

export type CanaryAnswers = NonNullable<RunResult["canary"]>;
type Changed = NonNullable<CanaryAnswers["first"]>;

/** Characters of each response that show a difference, and how many before it. */
const SHOWN = 40;
const BEFORE = 12;

/**
 * Compares them; undefined where none was asked.
 * @param files the lines of each shard's file
 * @param origin the first instant of the run, in milliseconds since 1970
 */
export async function canaryAnswers(files: readonly Lines[], origin: number): Promise<CanaryAnswers | undefined> {
  const alone = new Map<number, (string | undefined)[]>();
  let reason: string | undefined;
  const result = { prompts: 0, unstable: 0, asked: 0, changed: 0, empty: 0, looping: 0, brokenText: 0, failed: 0 };
  let first: Changed | undefined;
  for (const file of files) {
    for await (const line of file) {
      const parsed = typeof line === "string" ? parseJson(line) : undefined;
      const header = canaryHeader.safeParse(parsed).data;
      if (header !== undefined) result.prompts = Math.max(result.prompts, header.prompts);
      const asked = canaryLine.safeParse(parsed).data;
      if (asked === undefined) continue;
      const { at, prompt, text } = asked;
      const known = alone.get(prompt) ?? [];
      alone.set(prompt, known);
      if (asked.alone) {
        known.push(text);
        reason ??= asked.error;
        continue;
      }
      const [before] = known;
      if (before === undefined || known.some((other) => other !== before)) continue;
      if (text === undefined) {
        result.failed += 1;
        continue;
      }
      result.asked += 1;
      if (text === before) continue;
      result.changed += 1;
      if (text === "") result.empty += 1;
      if (loops(text) && !loops(before)) result.looping += 1;
      if (text.includes("\uFFFD") && !before.includes("\uFFFD")) result.brokenText += 1;
      first ??= { prompt, atS: Math.round(readInstant(at) - origin) / 1_000, ...difference(before, text) };
    }
  }
  if (result.prompts === 0) return undefined;
  result.unstable = [...alone.values()].filter(
    ([one, ...others]) => one === undefined || others.some((other) => other !== one),
  ).length;
  const refused = [...alone.values()].filter((texts) => texts.every((text) => text === undefined)).length;
  return {
    ...result,
    ...(refused > 0 && { refused: { prompts: refused, reason: reason ?? "no reason was recorded" } }),
    ...(first && { first }),
  };
}

/** From where two texts differ, with some characters before. */
function difference(before: string, now: string): Pick<Changed, "from" | "before" | "now"> {
  let from = 0;
  while (from < before.length && before[from] === now[from]) from += 1;
  const cut = (text: string): string => text.slice(Math.max(0, from - BEFORE), from - BEFORE + SHOWN + BEFORE);
  return { from, before: cut(before), now: cut(now) };
}

/** Whether a text ends with a piece of at least eight characters four times in a row. */
const loops = (text: string): boolean => /(.{8,100}?)\1{3}$/s.test(text.slice(-800));

/** The share of the responses that changed, as a metric; none where none could be compared. */
export const canaryMetric = (canary: CanaryAnswers | undefined): Record<string, MetricResult> =>
  canary === undefined || canary.asked === 0
    ? {}
    : {
        canary_changed: {
          unit: metric("canary_changed").unit,
          count: canary.asked,
          value: canary.changed / canary.asked,
        },
      };

/** What a report says of them: sentences without their ends. */
export function canaryInWords(canary: CanaryAnswers): string[] {
  const { prompts, unstable, refused, asked, changed, empty, looping, brokenText, failed, first } = canary;
  const varying = unstable - (refused?.prompts ?? 0);
  const kinds = Object.entries({ empty, looping, "with broken UTF-8": brokenText });
  const of = kinds.flatMap(([kind, count]) => (count === 0 ? [] : [`${formatNumber(count)} ${kind}`])).join(", ");
  return [
    ...(asked === 0
      ? []
      : [
          `${formatNumber(changed)} of ${plural(asked, "canary response")} differed from the one without load${of === "" ? "" : ` (${of})`}`,
        ]),
    ...(first === undefined ? [] : [differenceInWords(first)]),
    ...(failed === 0 ? [] : [`${plural(failed, "canary request")} during the load had no response`]),
    ...(asked + failed === 0 && unstable < prompts ? ["no canary prompt was asked during the load"] : []),
    ...(refused === undefined
      ? []
      : [`${notCompared(refused.prompts, prompts, "got no response without load")}: ${refused.reason}`]),
    ...(varying === 0 ? [] : [notCompared(varying, prompts, "had no two equal responses without load")]),
  ];
}

const notCompared = (count: number, prompts: number, why: string): string =>
  `${formatNumber(count)} of ${plural(prompts, "canary prompt")} ${why}, and ${count === 1 ? "is" : "are"} not compared`;

export const differenceInWords = ({ prompt, atS, from, before, now }: Changed): string =>
  `the first, for canary prompt ${prompt} at ${atS.toFixed(1)} s, differs from character ${formatNumber(from + 1)} on: ${JSON.stringify(now)} in place of ${JSON.stringify(before)}`;
