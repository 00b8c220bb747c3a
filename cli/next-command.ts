/** The command that is most useful after a run. Pure. */

import type { CompareResult } from "../formats/compare.ts";
import type { ConformanceResult } from "../formats/conformance.ts";
import type { RunResult } from "../formats/run.ts";
import type { SearchResult } from "../formats/search.ts";
import { plainLine, shellWord } from "../lib/text.ts";
import { leftGlobs } from "../reports/conformance/left-clauses.ts";
import { SCENARIOS } from "../scenarios/scenario-list.ts";

/** The line that ends what a run prints; nothing where only its findings say what to do. */
export const nextLine = (command: string | undefined): string =>
  command === undefined ? "" : `  next    ${command}\n`;

const word = (text: string): string => shellWord(plainLine(text));

/** Most clauses that are checked again by their names. */
const MOST_NAMED = 3;

/** Checks again what failed or what an interrupted run left, loads what conforms. */
export function afterConformance({
  target,
  exitCode,
  clauses,
  finishedAt,
  settings,
}: Pick<ConformanceResult, "target" | "exitCode" | "clauses" | "finishedAt" | "settings">): string | undefined {
  const failed = clauses.filter(({ verdict }) => verdict === "FAIL").map(({ id }) => id);
  const address = word(target);
  if (exitCode === 0) return `assay load chat-stream --target ${address} --rate 5 --duration 1m`;
  const left = finishedAt === undefined ? leftGlobs(clauses) : [];
  if (left.length > 0) {
    const profile = settings["profile"] === "openai" ? " --profile openai" : "";
    const video = settings["video"] === true ? " --video" : "";
    return `assay conformance --target ${address}${profile}${video} --only ${shellWord(left.join(","))}`;
  }
  if (exitCode !== 1 || failed.length === 0) return undefined;
  const video = failed.slice(0, MOST_NAMED).some((id) => id.split(".").includes("video")) ? " --video" : "";
  return `assay conformance --target ${address}${video} --only ${shellWord(failed.slice(0, MOST_NAMED).join(","))}`;
}

/** How far above a rate that met its objectives a search goes. */
const SEARCHED = 10;

/** Shows the requests behind a bad result, and goes further from a good one. */
export function afterLoad(run: RunResult, folder: string): string | undefined {
  const { interrupted, failures, validity, slos, exitCode, scenario, target, settings } = run;
  if (interrupted) return undefined;
  if (failures.length > 0) return `assay show ${word(folder)} --failed`;
  if (validity.verdict === "CLIENT-LIMITED") return "assay calibrate";
  if (slos.some(({ ok }) => ok === false)) return `assay show ${word(folder)} --slowest 20`;
  if (exitCode !== 0) return undefined;
  const { rate, slo = [] } = settings;
  if (typeof rate === "number" && slo.length > 0 && scenario in SCENARIOS && settings.workload === undefined) {
    return `assay search ${scenario} --target ${word(target)}${objectives(slo)} --rate ${rate} --max ${rate * SEARCHED}`;
  }
  return `assay compare ${word(folder)} DIR_OF_ANOTHER_RUN --max-regression 5%`;
}

const objectives = (slos: readonly string[]): string => slos.map((slo) => ` --slo ${word(slo)}`).join("");

/** Share of the highest load that leaves room for a run of some length. */
const SAFE_SHARE = 0.8;

/** Resumes what was interrupted, and confirms what was found with a longer run. */
export function afterSearch(search: SearchResult, folder: string): string | undefined {
  const { scenario, target, slos, state, found, limitedBy } = search;
  const run = `${word(scenario)} --target ${word(target)}`;
  if (state === "interrupted") return `assay search ${run}${objectives(slos)} --resume ${word(folder)}`;
  if (limitedBy === "client") return "assay calibrate";
  if (found === null) return undefined;
  const load =
    found.rate === undefined
      ? `--vus ${Math.max(1, Math.floor((found.vus ?? 1) * SAFE_SHARE))}`
      : `--rate ${Number((found.rate * SAFE_SHARE).toPrecision(2))}`;
  return `assay load ${run} ${load} --duration 5m${objectives(slos)}`;
}

/** Shows the requests of the run that became worse. */
export function afterComparison({ exitCode, runs }: Pick<CompareResult, "exitCode" | "runs">): string | undefined {
  const [slow] = runs.new;
  return exitCode === 1 && slow !== undefined ? `assay show ${word(slow.dir)} --slowest 20` : undefined;
}
