/** Whether a load can decide its objectives and the conditions that end it, as far as that shows before it starts. */

import { isWorkloadKind, WORKLOAD_KIND_NAMES } from "../../contract/operations.ts";
import { parseAbortRule } from "../../load/objectives/abort-rule.ts";
import { metric } from "../../load/objectives/metrics.ts";
import { checkObjectives, parseSlo, requireWorkloads, type Slo } from "../../load/objectives/slo.ts";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { type BoundSubject, canHave } from "../../reports/load/metrics/request-bounds.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { modelChoicesOf, modelOfPart } from "../../settings/load/models.ts";
import { didYouMean } from "../../settings/nearest.ts";
import { formatDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** A load, as far as its objectives depend on it. */
export interface JudgedLoad {
  /** A scenario, or the title of a file of workloads. */
  readonly scenario: string;
  readonly settings: LoadSettings;
  /** Whether a scenario of the user's own runs, which may declare objectives: these are known when k6 reads it. */
  readonly hasOwn: boolean;
}

/**
 * Checks the objectives of a load, and the conditions that end it before its time.
 * @throws UsageError when one cannot be read, or could never be decided
 */
export function requireDecidable(load: JudgedLoad): void {
  const { settings, hasOwn } = load;
  const objectives = objectivesOf(settings).map(parseSlo);
  const check = hasOwn ? requireWorkloads : checkObjectives;
  check(objectives, settings.workload?.workloads);
  const rules = (settings.abortOn ?? []).map(parseAbortRule);
  for (const { expr, slo, windowMs } of rules) {
    checkObjectives([slo, ...objectives], settings.workload?.workloads);
    requireShownInTime(expr, slo, windowMs, settings);
  }
  for (const slo of objectives) requireWindow(slo, settings);
  for (const slo of [...objectives, ...rules.map((rule) => rule.slo)]) requireMeasured(slo, load);
}

function requireShownInTime(expr: string, slo: Slo, windowMs: number, { records, duration }: LoadSettings): void {
  if (slo.metric === "icl" && records === "summary") {
    throw new UsageError(
      `Cannot end the run on "${expr}": with --records summary the gaps of a request are not in its record. Use --records full.`,
    );
  }
  if (windowMs > duration) {
    throw new UsageError(
      `Cannot end the run on "${expr}": the run measures for ${formatDuration(duration)} only. Shorten the time, or lengthen --duration.`,
    );
  }
}

/** @throws UsageError for an objective in windows of which the run has none */
function requireWindow({ expr, within }: Slo, { duration }: LoadSettings): void {
  if (within === undefined || within.windowMs <= duration) return;
  throw new UsageError(
    `Cannot decide "${expr}": the run measures for ${formatDuration(duration)} only, which is less than one window. Shorten the windows, or lengthen --duration.`,
  );
}

/** @throws UsageError for a metric that none of the workloads can have to which an objective applies */
function requireMeasured({ expr, metric: name, part }: Slo, load: JudgedLoad): void {
  const all = subjectsOf(load);
  const model = part === undefined ? undefined : modelOfPart(part);
  if (part !== undefined && model !== undefined) requireModel(expr, model, load);
  const subjects = all.filter(({ workload }) => part === undefined || model !== undefined || workload === part);
  if (subjects.every((subject) => !canHave(name, subject.part))) {
    const sent = [...new Set(subjects.map((subject) => subject.part))].join(", ");
    const measuring = WORKLOAD_KIND_NAMES.filter((each) => canHave(name, each));
    throw new UsageError(
      `Cannot decide "${expr}": ${name} is measured of ${measuring.join(", ")} only, and ${part ?? "the load"} sends ${sent}. Leave it out, or bound another metric.`,
    );
  }
  if (metric(name).scheduled !== true || subjects.some(({ isOpen }) => isOpen)) return;
  throw new UsageError(
    `Cannot decide "${expr}": ${name} counts from the scheduled start, and virtual users have no schedule. Bound the latency from the start of the request, such as e2e_p95, or give a --rate.`,
  );
}

/** @throws UsageError for a model that no workload asks for */
function requireModel(expr: string, model: string, { settings }: JudgedLoad): void {
  const models = (settings.workload?.workloads ?? settings.workloads).flatMap((workload) =>
    modelChoicesOf(workload, settings).flatMap((choice) => choice.map((each) => each.model)),
  );
  if (models.includes(model)) return;
  throw new UsageError(
    `Cannot decide "${expr}": no workload asks for that model. ${didYouMean(model, models, "Models")}`,
  );
}

interface Subject extends BoundSubject {
  /** Whether its arrivals do not wait for the target. */
  readonly isOpen: boolean;
}

const subjectsOf = ({ scenario, settings }: JudgedLoad): readonly Subject[] =>
  settings.workloads.map(({ name, operation, vus }) => ({
    workload: name,
    part: settings.workload === undefined && isWorkloadKind(scenario) ? scenario : operation,
    isOpen: (vus ?? settings.vus) === undefined,
  }));
