/** From the records in result folders to a load's result and its views. */

import { join } from "node:path";
import { z } from "zod";
import { recordHeader } from "../../formats/records.ts";
import { type RunResult, runJson } from "../../formats/run.ts";
import { parseJson } from "../../lib/json.ts";
import { shapeOfShards, shapeSettings } from "../../reports/load/read/load-description.ts";
import { summarizeLoad } from "../../reports/load/summarize-load.ts";
import { loadJunit } from "../../reports/load/views/junit.ts";
import { loadMarkdown } from "../../reports/load/views/markdown.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { linesOf } from "../cli/file-lines.ts";
import { FILES, writeWhole } from "../cli/result-folder.ts";
import { TOOL } from "../cli/tool.ts";
import { ENDINGS, FORMATS, type Format } from "./view-formats.ts";

/** What the header of a record says about the run; written by the scenario. */
const plan = z.object({
  scenario: z.string(),
  target: z.string(),
  slo: z.array(z.string()).optional(),
  ...shapeSettings,
  startAt: z.number().optional(),
  maxRequests: z.number().optional(),
  seed: z.number().optional(),
});

/**
 * Summarizes the records of one run, or of the shards of one, in one folder each.
 * @throws UsageError when a folder holds no records of a run
 */
export async function loadResultOf(folders: readonly string[]): Promise<RunResult> {
  const plans = await Promise.all(folders.map(planOf));
  const [first] = plans;
  if (first === undefined) throw new UsageError("Cannot read a run: no folder was given.");
  requireOneLoad(folders, plans);
  const { settings } = first;
  return summarizeLoad({
    shards: folders.map((folder) => ({
      records: linesOf(join(folder, FILES.records)),
      client: linesOf(join(folder, FILES.client)),
    })),
    slos: settings.slo ?? [],
    target: settings.target,
    scenario: settings.scenario,
    shape: shapeOfShards(
      settings,
      plans.map(({ segment }) => segment),
    ),
    tool: TOOL,
  });
}

/** What the first line of a record says of the run, and which segment of it the folder holds. */
interface Plan {
  readonly settings: z.infer<typeof plan>;
  readonly segment: string | undefined;
}

async function planOf(folder: string): Promise<Plan> {
  const file = join(folder, FILES.records);
  for await (const line of linesOf(file)) {
    const header = recordHeader.safeParse(parseJson(line));
    const settings = plan.safeParse(header.success ? header.data.settings : undefined);
    if (settings.success) return { settings: settings.data, segment: header.data?.segment ?? undefined };
    throw new UsageError(`Cannot read the run in ${folder}: the first line of ${FILES.records} is not its header.`);
  }
  throw new UsageError(
    `Cannot read the run in ${folder}: there is no ${FILES.records} in it, or it is empty. Name the result folder of a load.`,
  );
}

/** Settings in which the shards of one load may not differ; paths, keys and addresses may differ by machine. */
const SHARED = [
  "scenario",
  "vus",
  "rate",
  "timeScale",
  "duration",
  "warmup",
  "startAt",
  "maxRequests",
  "seed",
] as const;

/** @throws UsageError that names the first setting in which two shards differ */
function requireOneLoad(folders: readonly string[], [first, ...others]: readonly Plan[]): void {
  for (const [index, other] of others.entries()) {
    const setting = SHARED.find((name) => first?.settings[name] !== other.settings[name]);
    if (setting === undefined && first?.settings.arrival?.process === other.settings.arrival?.process) continue;
    throw new UsageError(
      `Cannot merge ${folders[0]} and ${folders[index + 1]}: they are not shards of one load, for their ${setting ?? "arrival"} differs. Report on each alone.`,
    );
  }
}

/** Views of a load, by the ending that names them on the command line. */
const VIEWS: Readonly<Record<Format, (run: RunResult) => string | Promise<string>>> = {
  json: runJson,
  // The charts' library takes half a second to load: only where a page is written.
  html: async (run) => (await import("../../reports/load/views/html.ts")).loadHtml(run),
  md: loadMarkdown,
  junit: loadJunit,
};

/** Writes the views of a load into its folder, as `run.json`, `run.html`, `run.md` and `run.junit.xml`. */
export async function writeLoadViews(
  folder: string,
  run: RunResult,
  formats: readonly Format[] = FORMATS,
): Promise<void> {
  for (const format of formats) writeWhole(folder, `run.${ENDINGS[format]}`, await VIEWS[format](run));
}
