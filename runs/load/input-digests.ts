/** What the files of a load hold: two loads are the same by it, and not by the names of their files. */

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { readTextFile } from "../../lib/text-file.ts";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import type { InputDigests } from "../../settings/load/load-json.ts";
import { readPrompts } from "./check-prompts.ts";

/** The files of a load that were read, with their SHA-256: that of a file is the digest of what was read of it. */
export class InputFiles {
  readonly #digests = new Map<string, string>();

  /** The text of a file. @throws Error whose message is a reason, as `readTextFile` does */
  readonly read = (file: string): string => {
    const { text, sha256 } = readWithDigest(file);
    this.add(file, sha256);
    return text;
  };

  /** Adds a file that was read elsewhere. */
  add(file: string, sha256: string): void {
    this.#digests.set(resolve(file), sha256);
  }

  /** The digest of a file, which is read where it was not: a length of the load may be that of no workload. */
  digestOf(file: string): string {
    return this.#digests.get(resolve(file)) ?? readWithDigest(file).sha256;
  }
}

/** The text of a file, and the SHA-256 of its bytes in hexadecimal. @throws Error as `readTextFile` does */
export function readWithDigest(file: string): { readonly text: string; readonly sha256: string } {
  const hash = createHash("sha256");
  const text = readTextFile(file, (bytes) => hash.update(bytes));
  return { text, sha256: hash.digest("hex") };
}

/** Settings that name files, of a load or of one of its workloads. */
type Named = Partial<Pick<LoadSettings, "prompts" | "tokenizer" | "arrival" | "inputTokens" | "maxTokens">>;

/**
 * The digests of the files of inputs.
 * @param files those that were read, but for prompts
 * @param usedPrompts files from which prompts are taken: that of the load may be that of no workload
 */
export function inputDigestsOf(
  { workload, ...load }: LoadSettings,
  files: InputFiles,
  usedPrompts: readonly string[],
): InputDigests {
  const all = [{ name: undefined, settings: load }, ...(workload?.workloads ?? [])];
  return Object.fromEntries(
    all.flatMap(({ name, settings }) =>
      digestsIn(settings, files, usedPrompts).map(([setting, digest]) => [
        name === undefined ? setting : `${name}.${setting}`,
        digest,
      ]),
    ),
  );
}

function digestsIn(
  { prompts, tokenizer, arrival, inputTokens, maxTokens }: Named,
  files: InputFiles,
  usedPrompts: readonly string[],
): readonly (readonly [setting: string, digest: string])[] {
  const others = {
    tokenizer,
    arrival: arrival?.process === "trace" ? arrival.file : undefined,
    inputTokens: inputTokens?.kind === "histogram" ? inputTokens.file : undefined,
    maxTokens: maxTokens?.kind === "histogram" ? maxTokens.file : undefined,
  };
  const ofPrompts = prompts !== undefined && usedPrompts.includes(prompts) ? [prompts] : [];
  return [
    ...ofPrompts.map((file) => ["prompts", readPrompts(file).sha256] as const),
    ...Object.entries(others).flatMap(([setting, file]) =>
      file === undefined ? [] : [[setting, files.digestOf(file)] as const],
    ),
  ];
}
