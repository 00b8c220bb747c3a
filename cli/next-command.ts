/** The command that is most useful after a run. Pure. */

import type { CompareResult } from "../formats/compare.ts";
import type { ConformanceResult } from "../formats/conformance.ts";
import type { RunResult } from "../formats/run.ts";
import type { SearchResult } from "../formats/search.ts";
import { plainLine, shellWord } from "../lib/text.ts";
import { leftGlobs } from "../reports/conformance/left-clauses.ts";
import { SCENARIOS } from "../scenarios/scenario-list.ts";
import { settingsFor } from "../settings/all-settings.ts";
import type { SettingsCommand } from "../settings/setting.ts";
import { flagsFor } from "./command-settings.ts";

/** The line that ends what a run prints; nothing where only its findings say what to do. */
export const nextLine = (command: string | undefined): string =>
  command === undefined ? "" : `  next    ${command}\n`;

const word = (text: string): string => shellWord(plainLine(text));

/** Flags of a command, by the names of their settings. */
type Flags = Readonly<Record<string, unknown>>;

/**
 * What was given to a command and the next one takes too, as it is typed. Without the headers and the certificates that
 * were given, the next command would not reach the target.
 * @param without what the next command states itself, or does without
 */
function alsoGiven(command: SettingsCommand, flags: Flags, without: readonly string[]): string {
  const taken = Object.keys(settingsFor(command)).filter((name) => name !== "target" && !without.includes(name));
  const given = taken.flatMap((name) => {
    const value = flags[name];
    return typeof value === "string" || value === true ? [[name, value] as const] : [];
  });
  const { config } = flags;
  const texts = [
    flagsFor(command, Object.fromEntries(given)),
    typeof config === "string" ? `--config ${word(config)}` : "",
  ];
  return texts.map((text) => (text === "" ? "" : ` ${text}`)).join("");
}

/** What belongs to the run that ended. */
const OF_THE_RUN = ["name", "tag", "waitFor"];

/** Most clauses that are checked again by their names. */
const MOST_NAMED = 3;

/**
 * Checks again what failed or what an interrupted run left, loads what conforms.
 * @param flags those of the run
 */
export function afterConformance(
  {
    target,
    exitCode,
    clauses,
    finishedAt,
    settings,
  }: Pick<ConformanceResult, "target" | "exitCode" | "clauses" | "finishedAt" | "settings">,
  flags: Flags = {},
): string | undefined {
  const address = word(target);
  if (exitCode === 0) {
    const reached = alsoGiven("load", flags, [...OF_THE_RUN, "pollInterval"]);
    return `assay load chat-stream --target ${address}${reached} --rate 5 --duration 1m`;
  }
  const profile = settings["profile"] === "openai" ? " --profile openai" : "";
  const also = alsoGiven("conformance", flags, [...OF_THE_RUN, "profile", "video", "only", "require"]);
  const check = (video: boolean, ids: readonly string[]): string =>
    `assay conformance --target ${address}${profile}${video ? " --video" : ""}${also} --only ${shellWord(ids.join(","))}`;
  const left = finishedAt === undefined ? leftGlobs(clauses) : [];
  if (left.length > 0) return check(settings["video"] === true, left);
  const failed = clauses.flatMap(({ id, verdict }) => (verdict === "FAIL" ? [id] : [])).slice(0, MOST_NAMED);
  if (exitCode !== 1 || failed.length === 0) return undefined;
  return check(
    failed.some((id) => id.split(".").includes("video")),
    failed,
  );
}

/** How far above a rate that met its objectives a search goes. */
const SEARCHED = 10;

/** What a search and a load state of their objectives and rates. */
const OF_THE_RATE = ["slo", "rate", "vus", "shape"];

/**
 * Shows the requests behind a bad result, and goes further from a good one.
 * @param flags those of the run
 */
export function afterLoad(run: RunResult, folder: string, flags: Flags = {}): string | undefined {
  const { interrupted, failures, validity, slos, exitCode, scenario, target, settings } = run;
  if (interrupted) return undefined;
  if (failures.length > 0) return `assay show ${word(folder)} --failed`;
  if (validity.verdict === "CLIENT-LIMITED") return "assay calibrate";
  if (slos.some(({ ok }) => ok === false)) return `assay show ${word(folder)} --slowest 20`;
  if (exitCode !== 0) return undefined;
  const { rate, slo = [] } = settings;
  if (typeof rate === "number" && slo.length > 0 && scenario in SCENARIOS && settings.workload === undefined) {
    const also = alsoGiven("search", flags, [...OF_THE_RUN, ...OF_THE_RATE]);
    return `assay search ${scenario} --target ${word(target)}${also}${objectives(slo)} --rate ${rate} --max ${rate * SEARCHED}`;
  }
  return `assay compare ${word(folder)} DIR_OF_ANOTHER_RUN --max-regression 5%`;
}

const objectives = (slos: readonly string[]): string => slos.map((slo) => ` --slo ${word(slo)}`).join("");

/** Share of the highest load that leaves room for a run of some length. */
const SAFE_SHARE = 0.8;

/**
 * Resumes what was interrupted, and confirms what was found with a longer run.
 * @param flags those of the search
 */
export function afterSearch(search: SearchResult, folder: string, flags: Flags = {}): string | undefined {
  const { scenario, target, slos, state, found, limitedBy } = search;
  const run = `${flags["workload"] === undefined ? `${word(scenario)} ` : ""}--target ${word(target)}`;
  if (state === "interrupted") {
    return `assay search ${run}${alsoGiven("search", flags, ["slo"])}${objectives(slos)} --resume ${word(folder)}`;
  }
  if (limitedBy === "client") return "assay calibrate";
  if (found === null) return undefined;
  const load =
    found.rate === undefined
      ? `--vus ${Math.max(1, Math.floor((found.vus ?? 1) * SAFE_SHARE))}`
      : `--rate ${Number((found.rate * SAFE_SHARE).toPrecision(2))}`;
  const also = alsoGiven("load", flags, [...OF_THE_RUN, ...OF_THE_RATE, "duration"]);
  return `assay load ${run}${also} ${load} --duration 5m${objectives(slos)}`;
}

/** Shows the requests of the run that became worse. */
export function afterComparison({ exitCode, runs }: Pick<CompareResult, "exitCode" | "runs">): string | undefined {
  const [slow] = runs.new;
  return exitCode === 1 && slow !== undefined ? `assay show ${word(slow.dir)} --slowest 20` : undefined;
}
