/** Draws faults from the sources of the product: the same seed and count give the same faults on the same sources. Pure. */

import { randomFrom } from "../support/results/random-numbers.ts";
import { type Edit, type Fault, faultOf, KINDS } from "./fault.ts";
import { editsOf } from "./find-edits.ts";

/** Each has its share of the faults. */
const FOLDERS = [
  "contract",
  "formats",
  "lib",
  "load",
  "settings",
  "conformance",
  "proxy",
  "route",
  "mock-server",
  "reports",
  "extension",
  "scenarios",
  "cli",
  "toolchain",
  "runs",
  "scripts",
];

const NOT_PRODUCT = /_test\.go$|\.test\.ts$|\.d\.ts$|\/(?:golden|testdata)\/|^scripts\/(?:docs|supply-chain)\//;

const folderOf = (file: string): string | undefined => FOLDERS.find((folder) => file.startsWith(`${folder}/`));

/** The product's sources among the files of the repository. */
export const isProduct = (file: string): boolean =>
  /\.(?:ts|mjs|go)$/.test(file) && !NOT_PRODUCT.test(file) && folderOf(file) !== undefined;

export interface Source {
  readonly file: string;
  readonly text: string;
}

/** How many faults each folder gets: in proportion to its lines, and each at least one if there are enough. */
export function sharesOf(lines: readonly number[], count: number): number[] {
  const total = lines.reduce((sum, each) => sum + each, 0);
  const shares = lines.map((): number => (count >= lines.length ? 1 : 0));
  const missing = (nth: number): number => ((lines[nth] ?? 0) / total) * count - (shares[nth] ?? 0);
  for (let left = count - shares.reduce((sum, each) => sum + each, 0); left > 0; left -= 1) {
    const most = lines.map((_, nth) => nth).reduce((a, b) => (missing(b) > missing(a) ? b : a));
    shares[most] = (shares[most] ?? 0) + 1;
  }
  return shares;
}

/**
 * Draws faults.
 * @param compiles whether a fault is one that the compiler accepts; another is drawn in place of one that is not
 */
export function drawFaults(
  sources: readonly Source[],
  { seed, count, compiles }: { seed: number; count: number; compiles: (fault: Fault) => boolean },
): Fault[] {
  const strata = FOLDERS.map((folder) => sources.filter(({ file }) => folderOf(file) === folder)).filter(
    (stratum) => stratum.length > 0,
  );
  const lines = strata.map((stratum) => stratum.reduce((sum, { text }) => sum + text.split("\n").length, 0));
  const shares = sharesOf(lines, count);
  const { uniform } = randomFrom(seed);
  return strata.flatMap((stratum, nth) => drawFrom(stratum, { count: shares[nth] ?? 0, uniform, compiles }));
}

/** Each kind is as likely as the others, however many places there are for it. */
function drawFrom(
  sources: readonly Source[],
  { count, uniform, compiles }: { count: number; uniform: () => number; compiles: (fault: Fault) => boolean },
): Fault[] {
  if (count === 0) return [];
  const edits = sources.flatMap((source) => editsOf(source.file, source.text).map((edit: Edit) => ({ source, edit })));
  let pools = KINDS.map((kind) => edits.filter(({ edit }) => edit.kind === kind));
  const faults: Fault[] = [];
  while (faults.length < count) {
    pools = pools.filter((pool) => pool.length > 0);
    const pool = pools[Math.floor(uniform() * pools.length)];
    const drawn = pool?.splice(Math.floor(uniform() * pool.length), 1)[0];
    if (drawn === undefined) break;
    const fault = faultOf(drawn.source.file, drawn.source.text, drawn.edit);
    if (fault.before !== fault.after && compiles(fault)) faults.push(fault);
  }
  return faults;
}
