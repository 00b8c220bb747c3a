/** A grid: a load, or a search, for each combination of the values of some settings, in an order that the seed draws. */

import { resolveSettings } from "../../cli/command-settings.ts";
import { told } from "../../cli/trust.ts";
import type { RunsResult } from "../../formats/runs.ts";
import { draw } from "../../load/inputs/random.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { didYouMean } from "../../settings/nearest.ts";
import { type Settings, settingKey, writeTexts } from "../../settings/setting.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { countWordsFor } from "./count-words.ts";
import { requireUsedFlags, withWorkloads } from "./named-load.ts";
import { type LoadPlan, planLoad } from "./plan-load.ts";
import { withSeedsOf } from "./repeat-load.ts";

type Flags = Readonly<Record<string, unknown>>;

/** One combination. */
export interface GridCell<Plan = LoadPlan> {
  /** Its values, such as `rate=5 max-tokens=64`. */
  readonly name: string;
  readonly texts: readonly string[];
  readonly plan: Plan;
}

/** A grid that was requested, checked, and ready to run. */
export interface GridPlan<Plan = LoadPlan> {
  /** What is saved of it, and compared when it is resumed. */
  readonly grid: NonNullable<RunsResult["grid"]>;
  /** In the order in which they run. */
  readonly cells: readonly GridCell<Plan>[];
}

/** A setting, and the values that it takes. */
interface Axis {
  readonly key: string;
  readonly setting: string;
  readonly values: readonly string[];
}

/** What runs in each cell. */
type Gridded = "load" | "search";

const SETTINGS: Readonly<Record<Gridded, Settings>> = { load: settingsFor("load"), search: settingsFor("search") };
/** They decide nothing that is measured: all runs have them, and a grid may be resumed with others. */
const OF_COMMAND = ["apiKeyEnv", "waitFor", "repeat", "repeatPause"];
/** What a search changes itself. */
const SEARCHED = ["rate", "vus"];
/** Mistyped, a grid of more would take days. */
const MOST_CELLS = 500;

/**
 * Reads `--grid NAME=A,B,C` of each setting; values that have commas themselves are separated by semicolons.
 * @throws UsageError for what is no setting of the command, or has no values
 */
export function readAxes(grids: readonly string[], flags: Flags, command: Gridded = "load"): readonly Axis[] {
  const byKey = new Map(Object.keys(SETTINGS[command]).map((name) => [settingKey(name), name]));
  const axes = grids.map((text) => {
    const [key = "", ...rest] = text.split("=");
    const list = rest.join("=");
    const values = list.split(list.includes(";") ? ";" : ",").map((value) => value.trim());
    return { key, values, setting: byKey.get(key) ?? "" };
  });
  for (const [index, { key, setting, values }] of axes.entries()) {
    const attempt = `Cannot run a grid over ${told(key)}`;
    if (setting === "" || OF_COMMAND.includes(setting)) {
      const advice = didYouMean(key, [...byKey.keys()], "Settings", "docs/configuration.md lists them.");
      throw new UsageError(`${attempt}: it is not a setting that runs can differ in. ${advice}`);
    }
    if (command === "search" && SEARCHED.includes(setting)) {
      throw new UsageError(`${attempt}: it is what the search finds. Give its first value as --${key}.`);
    }
    const isTwice = flags[setting] !== undefined || axes.findIndex((axis) => axis.key === key) < index;
    if (!isTwice && !values.includes("") && new Set(values).size === values.length) continue;
    const what = isTwice ? "it is given twice" : "a value is missing, or is given twice";
    throw new UsageError(
      `${attempt}: ${what}. Write --grid ${key}=A,B,C once, each value once; with semicolons between values that have commas.`,
    );
  }
  return axes;
}

/**
 * Plans every run of a grid.
 * @throws UsageError that names the combination which cannot run, and says why
 */
export async function planGrid(scenario: string | undefined, flags: Flags, isStartedHere: boolean): Promise<GridPlan> {
  const { grid, cells } = await planCells("load", scenario, flags, (ofCell, { count }) =>
    planLoad(scenario, { ...ofCell, repeat: String(count) }, undefined, isStartedHere),
  );
  return { grid, cells: inDrawnOrder(cells, !grid.axes.includes("seed")) };
}

/**
 * Plans what runs in each cell of a grid, in the order of the values.
 * @param planOf plans a cell by its flags, the number of the cell from 0, and that of all
 * @throws UsageError that names the combination which cannot run, and says why
 */
export async function planCells<Plan>(
  command: Gridded,
  scenario: string | undefined,
  { grid: given, ...flags }: Flags,
  planOf: (ofCell: Flags, place: { readonly index: number; readonly count: number }) => Plan,
): Promise<GridPlan<Plan>> {
  const axes = readAxes(Array.isArray(given) ? given.map(String) : [], flags, command);
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (flags["repeat"] !== undefined || count > MOST_CELLS) {
    const why = count > MOST_CELLS ? `${count} combinations are more than ${MOST_CELLS}` : "--repeat is given too";
    throw new UsageError(`Cannot run the grid: ${why}. Give fewer values, or seed=1,2,3 to repeat each combination.`);
  }
  const combinations = axes.reduce<readonly (readonly string[])[]>(
    (all, { values }) => all.flatMap((texts) => values.map((value) => [...texts, value])),
    [[]],
  );
  const cells: GridCell<Plan>[] = [];
  for (const [index, texts] of combinations.entries()) {
    const name = axes.map(({ key }, axis) => `${key}=${texts[axis]}`).join(" ");
    const ofCell = { ...flags, ...Object.fromEntries(axes.map(({ setting }, axis) => [setting, texts[axis]])) };
    try {
      requireUsedFlags(scenario, ofCell);
      await countWordsFor(command, scenario, ofCell);
      cells.push({ name, texts, plan: planOf(ofCell, { index, count }) });
    } catch (error) {
      throw error instanceof UsageError
        ? new UsageError(`Cannot run ${told(name)} of the grid. ${reasonOf(error)}`)
        : error;
    }
  }
  const saved = commandOf(command, scenario, flags, axes);
  return { grid: { command: saved, axes: axes.map(({ key }) => key), cells: count }, cells };
}

/** A target that slows down, or warms up, does not look as if the last value of a setting did it. */
function inDrawnOrder(cells: readonly GridCell[], areSeedsOwn: boolean): readonly GridCell[] {
  const seed = areSeedsOwn ? (cells[0]?.plan.settings.seed ?? 1) : 1;
  return cells
    .map((cell, index) => ({ cell, place: draw(seed, index, "grid") }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ cell }, index) => (areSeedsOwn ? { ...cell, plan: withSeedsOf(cell.plan, index + 1) } : cell));
}

function commandOf(
  command: Gridded,
  scenario: string | undefined,
  flags: Flags,
  axes: readonly Axis[],
): Readonly<Record<string, string>> {
  const left = [...OF_COMMAND, ...axes.map(({ setting }) => setting)];
  const texts = writeTexts(SETTINGS[command], resolveSettings(command, withWorkloads(scenario, flags)).values);
  const common = Object.entries(texts).filter(([name]) => !left.includes(name));
  return {
    ...(scenario !== undefined && { scenario }),
    ...Object.fromEntries(common.map(([name, text]) => [settingKey(name), text])),
    ...Object.fromEntries(axes.map(({ key, values }) => [`--grid ${key}`, values.join(";")])),
  };
}

/**
 * Requires that a folder is of this grid, so that its runs are of it.
 * @throws UsageError that names what differs
 */
export function requireSameGrid(
  folder: string,
  { grid: before }: Pick<RunsResult, "tool" | "grid">,
  { grid: { command } }: GridPlan<unknown>,
): void {
  const saved = before?.command ?? {};
  const name = Object.keys({ ...saved, ...command }).find((each) => saved[each] !== command[each]) ?? "";
  if (before !== undefined && name === "") return;
  const differs = `its ${told(name)} is ${told(saved[name] ?? "not set")}, and ${told(command[name] ?? "not set")} is given`;
  throw new UsageError(
    `Cannot resume the grid in ${folder}: ${before === undefined ? "it holds a report on other folders" : differs}. Repeat the command that it was started with, or name a new folder with --out.`,
  );
}
