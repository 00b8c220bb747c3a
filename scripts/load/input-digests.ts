/** What the files of a load hold: two loads are the same by it, and not by the names of their files. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import type { InputDigests } from "../../load/spec/load-json.ts";
import { readPrompts } from "./check-prompts.ts";

/** Settings that name files, of a load or of one of its workloads. */
type Named = Partial<Pick<LoadSettings, "prompts" | "tokenizer" | "arrival" | "inputTokens" | "maxTokens">>;

/**
 * The digests of the files of inputs, which were read before.
 * @param usedPrompts files from which prompts are taken: that of the load may be that of no workload
 */
export function inputDigestsOf({ workload, ...load }: LoadSettings, usedPrompts: readonly string[]): InputDigests {
  const own = (workload?.workloads ?? []).flatMap(({ name, settings }) => digestsIn(settings, usedPrompts, `${name}.`));
  return Object.fromEntries([...digestsIn(load, usedPrompts), ...own]);
}

function digestsIn(
  { prompts, tokenizer, arrival, inputTokens, maxTokens }: Named,
  usedPrompts: readonly string[],
  before = "",
): readonly (readonly [setting: string, digest: string])[] {
  const others = {
    tokenizer,
    arrival: arrival?.process === "trace" ? arrival.file : undefined,
    inputTokens: inputTokens?.kind === "histogram" ? inputTokens.file : undefined,
    maxTokens: maxTokens?.kind === "histogram" ? maxTokens.file : undefined,
  };
  const ofPrompts = prompts !== undefined && usedPrompts.includes(prompts) ? [prompts] : [];
  return [
    ...ofPrompts.map((file) => [`${before}prompts`, readPrompts(file).sha256] as const),
    ...Object.entries(others).flatMap(([setting, file]) =>
      file === undefined ? [] : [[before + setting, sha256Of(file)] as const],
    ),
  ];
}

const sha256Of = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
