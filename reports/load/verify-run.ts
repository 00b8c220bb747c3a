/**
 * Whether a published `run.json` follows from the records beside it: every value in it is compared with what they give again. It
 * finds records that were changed and values that were edited; it cannot find requests that never took place. Pure.
 */

import { type RunResult, runJson, runResult } from "../../formats/run.ts";
import { isObject, parseJson, type UnknownObject } from "../../lib/json.ts";
import { shorten } from "../../lib/text.ts";
import { changedFiles, textOf, type Verification } from "../verification.ts";

export interface ReplayedLoad {
  /** The result that the records give. */
  readonly again: RunResult;
  /** Reports beside `run.json`, and the texts that they may have by these records. */
  readonly views: readonly { readonly file: string; readonly found: string; readonly made: readonly string[] }[];
}

/** Compares a published result with what its records give. @param published what `run.json` holds */
export function verifyRun(published: UnknownObject, { again, views }: ReplayedLoad): Verification {
  const named = runResult.shape.evidence.safeParse(published["evidence"]).data;
  const changed = changedFiles("run.json", named ?? [], again.evidence ?? []);
  const { equal, differences } = compared("", published, parseJson(runJson(again)));
  const version =
    published["tool"] === again.tool
      ? []
      : [
          `this is ${again.tool}, and another version may compute otherwise: replay with the version that run.json names`,
        ];
  return {
    differences: [
      ...version,
      ...changed,
      ...differences.flatMap(({ path, sentence }) =>
        changed.length > 0 && path.startsWith("evidence") ? [] : [sentence],
      ),
      ...(version.length > 0 ? [] : views).flatMap(({ file, found, made }) =>
        made.includes(found) ? [] : [`${file} is not what the records give`],
      ),
    ],
    reproduced: equal,
    standing: 0,
    hashed: named !== undefined,
  };
}

interface Compared {
  /** Values that are the same. */
  readonly equal: number;
  readonly differences: readonly { readonly path: string; readonly sentence: string }[];
}

/** Compares values, and those within them. */
function compared(path: string, published: unknown, again: unknown): Compared {
  if (isObject(published) && isObject(again)) {
    const names = [...new Set([...Object.keys(again), ...Object.keys(published)])];
    return joined(names.map((name) => compared(path === "" ? name : `${path}.${name}`, published[name], again[name])));
  }
  if (Array.isArray(published) && Array.isArray(again) && published.length === again.length) {
    return joined(again.map((value, index) => compared(`${path}[${index}]`, published[index], value)));
  }
  if (isSame(published, again)) return { equal: 1, differences: [] };
  const [is, gives] = [published, again].map((value) => shorten(textOf(value), 80));
  return { equal: 0, differences: [{ path, sentence: `${path} is ${is} in run.json; the records give ${gives}` }] };
}

const joined = (parts: readonly Compared[]): Compared => ({
  equal: parts.reduce((sum, { equal }) => sum + equal, 0),
  differences: parts.flatMap(({ differences }) => differences),
});

/** Another processor or version of Node may compute the last digits otherwise. */
const ROUNDING = 1e-9;

const isSame = (a: unknown, b: unknown): boolean =>
  typeof a === "number" && typeof b === "number"
    ? Math.abs(a - b) <= ROUNDING * Math.max(Math.abs(a), Math.abs(b))
    : textOf(a) === textOf(b);
