/** A grid: a load for each combination of the values of some settings, in an order that the seed draws. */

import type { RunsResult } from "../../formats/runs.ts";
import { draw } from "../../load/inputs/random.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { didYouMean } from "../../settings/nearest.ts";
import { type Settings, settingKey, writeTexts } from "../../settings/setting.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { resolveSettings } from "../cli/command-settings.ts";
import { told } from "../cli/trust.ts";
import { countWordsFor } from "./count-words.ts";
import { requireUsedFlags, withWorkloads } from "./named-load.ts";
import { type LoadPlan, planLoad } from "./plan-load.ts";
import { withSeedsOf } from "./repeat-load.ts";

type Flags = Readonly<Record<string, unknown>>;
type Axes = NonNullable<RunsResult["grid"]>["axes"];

/** One combination. */
export interface GridCell {
  /** Its values, such as `rate=5 max-tokens=64`. */
  readonly name: string;
  readonly texts: readonly string[];
  readonly plan: LoadPlan;
}

/** A grid that was requested, checked, and ready to run. */
export interface GridPlan {
  /** What is saved of it, and compared when it is resumed. */
  readonly grid: NonNullable<RunsResult["grid"]>;
  /** In the order in which they run. */
  readonly cells: readonly GridCell[];
}

const SETTINGS = settingsFor("load");
const BY_KEY = new Map(Object.keys(SETTINGS).map((name) => [settingKey(name), name]));
/** How often the load is run, and between which times, is said once for all. */
const OF_ALL = ["repeat", "repeat-pause", "wait-for"];
/** Mistyped, a grid of more would take days. */
const MOST_CELLS = 500;

/**
 * Reads `--grid NAME=A,B,C` of each setting; values that have commas themselves are separated by semicolons.
 * @throws UsageError for what is no setting of a load, or has no values
 */
export function readAxes(grids: readonly string[], flags: Flags): Axes {
  const axes = grids.map((text) => {
    const at = text.indexOf("=");
    const name = (at < 0 ? text : text.slice(0, at)).trim();
    const list = at < 0 ? "" : text.slice(at + 1);
    return { name, values: list.split(list.includes(";") ? ";" : ",").map((value) => value.trim()) };
  });
  for (const [index, { name, values }] of axes.entries()) {
    const attempt = `Cannot run a grid over ${told(name)}`;
    const setting = BY_KEY.get(name);
    if (setting === undefined || OF_ALL.includes(name)) {
      throw new UsageError(
        `${attempt}: it is not a setting that runs can differ in. ${didYouMean(name, [...BY_KEY.keys()], "Settings", "assay load --help and assay help settings list them.")}`,
      );
    }
    if (values.includes("") || new Set(values).size < values.length) {
      throw new UsageError(
        `${attempt}: a value is missing or is given twice. Write --grid ${name}=A,B,C, each once; with semicolons between values that have commas.`,
      );
    }
    if (flags[setting] !== undefined || axes.findIndex((axis) => axis.name === name) < index) {
      throw new UsageError(`${attempt}: it is given twice. Give its values once, with --grid.`);
    }
  }
  return axes;
}

/**
 * Plans every run of a grid.
 * @throws UsageError that names the combination which cannot run, and says why
 */
export async function planGrid(scenario: string | undefined, flags: Flags, isStartedHere: boolean): Promise<GridPlan> {
  const { grid: given, ...others } = flags;
  if (others["repeat"] !== undefined) {
    throw new UsageError(
      "Cannot use --repeat with --grid: each combination runs once. Repeat them with --grid seed=1,2,3.",
    );
  }
  const axes = readAxes(Array.isArray(given) ? given.map(String) : [], flags);
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_CELLS) {
    throw new UsageError(
      `Cannot run a grid of ${count} combinations: ${MOST_CELLS} are possible at most. Give fewer values, or run several grids.`,
    );
  }
  const combinations = axes.reduce<readonly (readonly string[])[]>(
    (all, { values }) => all.flatMap((texts) => values.map((value) => [...texts, value])),
    [[]],
  );
  const cells: GridCell[] = [];
  for (const texts of combinations)
    cells.push(await planCell(scenario, { ...others, repeat: String(count) }, { axes, texts, isStartedHere }));
  const ownSeed = axes.some(({ name }) => name === "seed");
  const seed = ownSeed ? 1 : (cells[0]?.plan.settings.seed ?? 1);
  const drawn = cells
    .map((cell, index) => ({ cell, place: draw(seed, index, "grid") }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ cell }, index) => (ownSeed ? cell : { ...cell, plan: withSeedsOf(cell.plan, index + 1) }));
  return {
    grid: { scenario: scenario ?? "", settings: settingsOf(scenario, others, axes), axes, cells: count },
    cells: drawn,
  };
}

async function planCell(
  scenario: string | undefined,
  common: Flags,
  {
    axes,
    texts,
    isStartedHere,
  }: { readonly axes: Axes; readonly texts: readonly string[]; readonly isStartedHere: boolean },
): Promise<GridCell> {
  const name = axes.map((axis, index) => `${axis.name}=${texts[index]}`).join(" ");
  const flags = {
    ...common,
    ...Object.fromEntries(axes.map((axis, index) => [BY_KEY.get(axis.name) ?? "", texts[index]])),
  };
  try {
    requireUsedFlags(scenario, flags);
    await countWordsFor("load", scenario, flags);
    return { name, texts, plan: planLoad(scenario, flags, undefined, isStartedHere) };
  } catch (error) {
    throw error instanceof UsageError
      ? new UsageError(`Cannot run ${told(name)} of the grid. ${reasonOf(error)}`)
      : error;
  }
}

/** May be others when a grid is resumed: they decide nothing that is measured. */
const MAY_CHANGE = ["apiKeyEnv", "waitFor", "repeat", "repeatPause"];

/** The settings of all its runs, as texts: those that are combined, and their order, are said elsewhere. */
function settingsOf(scenario: string | undefined, flags: Flags, axes: Axes): Readonly<Record<string, string>> {
  const left = [...MAY_CHANGE, ...axes.map(({ name }) => BY_KEY.get(name) ?? "")];
  const known: Settings = SETTINGS;
  const texts = writeTexts(known, resolveSettings("load", withWorkloads(scenario, flags)).values);
  return Object.fromEntries(
    Object.entries(texts)
      .filter(([name]) => !left.includes(name))
      .map(([name, text]) => [settingKey(name), text]),
  );
}

/**
 * Requires that a folder is of this grid, so that its runs are of it.
 * @throws UsageError that names what differs
 */
export function requireSameGrid(folder: string, { grid: before }: RunsResult, { grid: now }: GridPlan): void {
  const textsOf = ({ scenario, settings, axes }: GridPlan["grid"]): Readonly<Record<string, string>> => ({
    scenario,
    ...settings,
    ...Object.fromEntries(axes.map(({ name, values }) => [`grid ${name}`, values.join(", ")])),
  });
  const [a, b] = [before && textsOf(before), textsOf(now)];
  const differing = Object.keys({ ...a, ...b }).find((name) => a?.[name] !== b[name]);
  if (a !== undefined && differing === undefined) return;
  const why =
    a === undefined || differing === undefined
      ? "it holds a report on other folders"
      : `its ${told(differing)} is ${told(a[differing] ?? "not set")}, and ${told(b[differing] ?? "not set")} is given`;
  throw new UsageError(
    `Cannot resume the grid in ${folder}: ${why}. Repeat the command that it was started with, or name a new folder with --out.`,
  );
}
