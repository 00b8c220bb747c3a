/** From the records in result folders to a load's result and its views. */

import { existsSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { notify } from "../../cli/console.mjs";
import { digestOf } from "../../cli/file-digest.ts";
import { headerOf } from "../../cli/file-header.ts";
import { linesOf, readableLinesOf } from "../../cli/file-lines.ts";
import { holds, isUnwritten, lackOf, recordedIn, writeWhole } from "../../cli/result-folder.ts";
import { TOOL } from "../../cli/tool.mjs";
import { foldersIn, folderWithin } from "../../cli/trust.ts";
import type { EvidenceFile } from "../../formats/conformance.ts";
import { FILES } from "../../formats/file-names.ts";
import {
  kindOfLine,
  type RecordHeader,
  type RequestRecord,
  recordHeader,
  requestRecord,
} from "../../formats/records.ts";
import type { RunResult } from "../../formats/run.ts";
import { type Stop, stopFile } from "../../formats/stop.ts";
import { parseJson } from "../../lib/json.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { BETWEEN_SHARDS, differenceOf } from "../../load/shape/same-load.ts";
import { type CheckedFolder, sampleCheckOf } from "../../reports/load/metrics/sample-check.ts";
import { describeLoad } from "../../reports/load/read/load-description.ts";
import { relatedRequests } from "../../reports/load/read/related-requests.ts";
import { requestPoints } from "../../reports/load/read/request-points.ts";
import type { EarlierInputs } from "../../reports/load/repeated-inputs.ts";
import { type AnalyzedLoad, analyzeLoad } from "../../reports/load/summarize-load.ts";
import { ToolPrediction } from "../../reports/load/tools/predict-tools.ts";
import { type SteadyPart, steadyPartOf } from "../../reports/load/validity/run-steadiness.ts";
import { mainLatency } from "../../reports/load/views/run-strip.ts";
import { withoutUnwritable } from "../../reports/load/whole-result.ts";
import { type ReportFormat, USUAL_FORMATS } from "../../reports/report-formats.ts";
import type { Database } from "../../reports/tables/database.ts";
import { readInstant } from "../../settings/instants.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { conformanceResultOf, writeConformanceViews } from "./conformance-views.ts";
import { inFolder } from "./page-above.ts";
import { withDatabase } from "./run-database.ts";

/** How the records in folders are read. */
interface Reading {
  /** Whether they are to be a whole load, so that a segment may be missing; absent: where there are several. */
  readonly isMerged?: boolean | undefined;
  /** What was sent before the load; absent: it is not asked for. */
  readonly earlier?: EarlierInputs | undefined;
}

/**
 * Summarizes the records of one run, or of the shards of one, in one folder each.
 * @throws UsageError when a folder holds no records of a run
 */
export async function loadResultOf(folders: readonly string[], reading: Reading = {}): Promise<RunResult> {
  return withDatabase(folders, async (database) => {
    const { run, span } = await analyzedLoadOf(folders, database, reading);
    return withoutUnwritable({
      ...(await withRelated(await withPoints(run, database, span.origin), database, span.origin)),
      evidence: await evidenceIn(folders),
    });
  });
}

/** What is a part of a load's result folder that its result is made of, or that says what ran. */
const EVIDENCE = [
  ...[FILES.records, FILES.client, FILES.scrapes, FILES.stop, FILES.load, FILES.bundle],
  ...[FILES.exchanges, FILES.verdicts].map((name) => `${FILES.check}/${name}`),
];

/** These files of the folders, with their hashes. */
async function evidenceIn(folders: readonly string[]): Promise<EvidenceFile[]> {
  const names = namesOf(folders);
  const files: EvidenceFile[] = [];
  for (const [index, folder] of folders.entries()) {
    for (const name of EVIDENCE.filter((each) => holds(folder, each))) {
      const file = names[index] === "" ? name : `${names[index]}/${name}`;
      files.push({ ...(await digestOf(folder, name)), file });
    }
  }
  return files;
}

/** What tells folders of one load apart: their paths from the folder that holds all of them; of one folder, nothing. */
function namesOf(folders: readonly string[]): readonly string[] {
  const paths = folders.map((folder) => resolve(folder).split(sep));
  const [first = []] = paths;
  const differs = first.findIndex((part, at) => paths.some((path) => path[at] !== part));
  return paths.map((path) => (differs < 0 ? [] : path.slice(differs)).join("/"));
}

/** A run with the other requests of the arrivals whose requests it lists: conversations and video tasks are shown whole. */
async function withRelated(run: RunResult, database: Database, origin: number): Promise<RunResult> {
  const { requests, conversations, ops } = run;
  const hasSeveral = conversations !== undefined || Object.keys(ops).length > 1;
  if (requests === undefined || !hasSeveral) return run;
  return { ...run, requests: { ...requests, related: await relatedRequests(database, requests, origin) } };
}

/** A run with the requests that its page shows as points. @param origin instant of second 0, in milliseconds */
export async function withPoints(run: RunResult, database: Database, origin: number): Promise<RunResult> {
  const by = mainLatency(run)?.name ?? "e2e";
  const points = await requestPoints(database, { by, origin, seed: run.seed });
  return points === undefined ? run : { ...run, points };
}

/** A run with what these tools would have printed for it; the records are read once more. */
export async function withTools(
  run: RunResult,
  folders: readonly string[],
  tools: readonly string[],
): Promise<RunResult> {
  const prediction = new ToolPrediction(tools);
  const until = run.leftOut === undefined ? Number.NEGATIVE_INFINITY : readInstant(run.leftOut.until);
  for (const folder of folders) {
    const early = new Set<number>();
    for await (const record of requestsIn([folder])) prediction.add(withoutEarly(record, until, early));
  }
  return { ...run, tools: prediction.results(run) };
}

/** A request with the phase that it is read in: what was due before an instant is of the warm-up, with all of its arrival. */
function withoutEarly(record: RequestRecord, until: number, early: Set<number>): RequestRecord {
  const { arrival, phase, scheduled } = record;
  if (phase !== "measure") return record;
  const isEarly = readInstant(scheduled) < until;
  if (isEarly && arrival !== undefined) early.add(arrival);
  return isEarly || (arrival !== undefined && early.has(arrival)) ? { ...record, phase: "warmup" } : record;
}

/** The requests in these folders. */
async function* requestsIn(folders: readonly string[]): AsyncGenerator<RequestRecord> {
  for (const folder of folders) {
    for await (const line of readableLinesOf(join(folder, FILES.records))) {
      const value = parseJson(line);
      const record = kindOfLine(value) === "request" ? requestRecord.safeParse(value).data : undefined;
      if (record !== undefined) yield record;
    }
  }
}

/** The same, with what the result was computed from. */
export async function analyzedLoadOf(
  folders: readonly string[],
  database: Database,
  { isMerged = folders.length > 1, earlier }: Reading = {},
): Promise<AnalyzedLoad> {
  const headers = await Promise.all(folders.map(recordHeaderOf));
  const [first] = headers;
  if (first === undefined) throw new UsageError("Cannot read a run: no folder was given.");
  requireOneLoad(folders, headers);
  const { settings } = first;
  const checked = await checksIn(folders);
  const check = settings.check || checked.length > 0 ? sampleCheckOf(settings.check ?? 0, checked) : undefined;
  const inputOf = (steady?: SteadyPart) => ({
    shards: folders.map((folder) => ({
      records: linesOf(join(folder, FILES.records)),
      path: join(folder, FILES.records),
      client: linesOf(join(folder, FILES.client)),
      scrapes: linesOf(join(folder, FILES.scrapes)),
      canary: linesOf(join(folder, FILES.canary)),
      stop: stopOf(folder),
    })),
    slos: objectivesOf(settings),
    target: settings.target,
    scenario: settings.scenario,
    shape: describeLoad(
      settings,
      headers.map(({ segment }) => segment ?? undefined),
    ),
    tool: TOOL,
    isMerged,
    earlier,
    ...(check && { check }),
    ...(steady && { steady }),
  });
  if (!settings.steadyOnly) return analyzeLoad(inputOf(), database);
  const whole = await withDatabase(folders, (other) => analyzeLoad(inputOf(), other));
  return analyzeLoad(inputOf(steadyPartOf(whole.run, whole.span)), database);
}

/** Why Assay ended a load before its time; undefined when it did not, or when the file cannot be read. */
function stopOf(folder: string): Stop | undefined {
  if (!holds(folder, FILES.stop)) return undefined;
  try {
    return stopFile.safeParse(parseJson(readTextFile(join(folder, FILES.stop)))).data;
  } catch {
    return undefined;
  }
}

/** What came of checking exchanges of the loads in these folders, of each whose exchanges were checked. */
async function checksIn(folders: readonly string[]): Promise<readonly CheckedFolder[]> {
  const names = namesOf(folders);
  const checked = folders
    .map((folder, index) => ({ folder: names[index] ?? folder, path: join(folder, FILES.check) }))
    .filter(({ path }) => holds(path, FILES.verdicts));
  return Promise.all(checked.map(async ({ folder, path }) => ({ folder, result: await conformanceResultOf(path) })));
}

/** The folders that hold the records of a load: those of its runners, where a cluster ran it, else its own. */
export function recordFoldersOf(folder: string): readonly string[] {
  const runners = join(folder, FILES.runners);
  if (holds(folder, FILES.records) || !existsSync(runners)) return [folder];
  const parts = foldersIn(folderWithin(folder, FILES.runners))
    .map((name) => join(runners, name))
    .filter((part) => holds(part, FILES.records) && !isUnwritten(part));
  return parts.length === 0 ? [folder] : parts.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

/** What to name in place of a folder without records. */
export function adviceFor(folder: string): string {
  if (holds(folder, "run.json"))
    return "Its run.json is a report of other folders: name these, which hold the records.";
  const inside = runsInside(folder);
  return inside.length === 0
    ? "Name the result folder of a run."
    : `It holds the runs ${inside.slice(0, MOST_NAMED).join(", ")}${inside.length > MOST_NAMED ? " and others" : ""}: name one of them.`;
}

const MOST_NAMED = 5;

/** The result folders in a folder. @param files of which each has one */
export const runsInside = (
  folder: string,
  files: readonly string[] = [FILES.records, FILES.verdicts],
): readonly string[] =>
  !existsSync(folder)
    ? []
    : foldersIn(folder)
        .map((name) => join(folder, name))
        .filter((inside) => files.some((file) => holds(inside, file)))
        .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));

/** The header of the records of a run. @throws UsageError when a folder holds none */
export async function recordHeaderOf(folder: string): Promise<RecordHeader> {
  const header = await headerOf(folder, FILES.records, recordHeader);
  if (header !== undefined) return header;
  throw new UsageError(`Cannot read the run in ${folder}: ${lackOf(folder, FILES.records)}. ${adviceFor(folder)}`);
}

/** @throws UsageError that names the first setting in which two shards differ, and both values */
function requireOneLoad(folders: readonly string[], [first, ...others]: readonly RecordHeader[]): void {
  for (const [index, other] of others.entries()) {
    const difference = first && differenceOf(first.settings, other.settings, BETWEEN_SHARDS);
    if (difference === undefined) continue;
    const { setting, values } = difference;
    throw new UsageError(
      `Cannot merge ${folders[0]} and ${folders[index + 1]}: they are not shards of one load, for ${setting} differs: ${values[0]} in the first, ${values[1]} in the other. Report on each alone, or run both with the same settings.`,
    );
  }
}

/** Writes the reports of the exchanges of a load that were checked, beside them; nothing when none were. */
export async function writeCheckViews(folder: string): Promise<void> {
  const checked = join(folder, FILES.check);
  if (holds(checked, FILES.verdicts)) await writeConformanceViews(checked, await conformanceResultOf(checked));
}

/**
 * Writes the views of a load, as `run.json`, `run.html`, `run.md` and `run.junit.xml`. One that cannot be made is named, and costs
 * no other.
 * @param sources the folders that the result was read from
 * @throws UsageError when one cannot be written
 */
export async function writeLoadViews(
  folder: string,
  run: RunResult,
  sources: readonly string[],
  formats: readonly ReportFormat[] = USUAL_FORMATS,
): Promise<void> {
  for (const { ending, load } of formats) {
    if (load === undefined) continue;
    const name = `run.${ending}`;
    const view = await made(name, () => load(run));
    if (view !== undefined) writeWhole(folder, name, inFolder(view, ending, folder), recordedIn(sources));
  }
}

async function made(name: string, make: () => string | Promise<string>): Promise<string | undefined> {
  try {
    return await make();
  } catch (error) {
    notify(`Cannot make ${name}: ${reasonOf(error)}. Every other report is written.`);
    return undefined;
  }
}
