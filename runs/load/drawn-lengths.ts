/** The lengths of prompts and responses of a load: the histogram files that they name, and their means. */

import { CHARACTERS_PER_TOKEN } from "../../lib/text.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { parseHistogram } from "../../load/inputs/histogram-file.ts";
import { type Drawable, meanTokens, tokensAt } from "../../load/inputs/sample-length.ts";
import type { LoadSettings, Workload } from "../../load/rules/checked-settings.ts";
import type { Distribution } from "../../settings/load/drawn-values.ts";
import { settingKey } from "../../settings/setting.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { BUNDLED_PROMPTS } from "../../toolchain/bundle-scenario.ts";
import { readPrompts } from "./check-prompts.ts";

/** Settings that may name a histogram. */
const LENGTHS = ["inputTokens", "maxTokens"] as const;

type Lengths = Partial<Pick<Workload, (typeof LENGTHS)[number]>>;

/** Where a file is, or is to be. @param setting the key of what names it, such as `input-tokens` */
type Moved = (setting: string, file: string) => string;

/** Those lengths that are histograms, with their files elsewhere. */
export const movedHistograms = (of: Lengths, moved: Moved): Lengths =>
  Object.fromEntries(
    LENGTHS.flatMap((name) => {
      const given = of[name];
      return given?.kind === "histogram" ? [[name, { ...given, file: moved(settingKey(name), given.file) }]] : [];
    }),
  );

/** @param read reads a file @throws UsageError when a histogram cannot be read */
export function checkHistograms(of: Lengths, read: typeof readTextFile): void {
  for (const name of LENGTHS) if (of[name] !== undefined) drawable(of[name], read);
}

function drawable(given: Distribution, read = readTextFile): Drawable {
  if (given.kind !== "histogram") return given;
  return { bins: parseHistogram(readHistogram(given.file, read), given.file) };
}

function readHistogram(file: string, read: typeof readTextFile): string {
  try {
    return read(file);
  } catch (error) {
    throw new UsageError(
      `Cannot read a histogram of lengths from ${file}: ${reasonOf(error)}. Name a file of lengths and weights (see docs/inputs.md).`,
    );
  }
}

/** The most tokens that are ever drawn: shares are multiples of 2^-32. */
export const largestTokens = (given: Distribution): number => tokensAt(drawable(given), 1 - 2 ** -32);

/** Tokens of the ten digits that a unique prompt begins with, for tokenizers that take them by three and for those that take each. */
const OPENING_TOKENS = (4 + 10) / 2;

/** What the cost of a load is estimated from. */
interface Means {
  /** Tokens of a prompt, with its prefix. */
  readonly promptTokens: number;
  readonly maxTokens: number;
}

/** A load with the mean lengths of the prompts and the limits of responses, also of each of its workloads. */
export const withMeans = (
  settings: LoadSettings,
): Omit<LoadSettings, "maxTokens" | "workloads"> &
  Means & { readonly workloads: readonly (Omit<Workload, "maxTokens"> & Means)[] } => ({
  ...settings,
  ...meansOf(settings),
  workloads: settings.workloads.map((workload) => ({ ...workload, ...meansOf(workload) })),
});

function meansOf(
  of: Pick<Workload, "inputTokens" | "maxTokens" | "prompts" | "sharedPrefixTokens" | "uniquePrompts">,
): Means {
  const { inputTokens, maxTokens, prompts = BUNDLED_PROMPTS, sharedPrefixTokens, uniquePrompts = false } = of;
  const opening = uniquePrompts ? OPENING_TOKENS : 0;
  return {
    promptTokens:
      inputTokens === undefined
        ? opening + readPrompts(prompts).meanCharacters / CHARACTERS_PER_TOKEN
        : (sharedPrefixTokens === undefined ? 0 : sharedPrefixTokens.share * sharedPrefixTokens.tokens) +
          meanTokens(drawable(inputTokens)),
    maxTokens: meanTokens(drawable(maxTokens)),
  };
}
