/**
 * The exit code of a load run and the sentence that explains it. A missed objective (1) decides before an undecided one
 * (2), and one that does not depend on the load generator's timing decides in a CLIENT-LIMITED run too.
 */

import type { Outage, RunResult, SampleCheck, SloResult } from "../../../formats/run.ts";
import { metric } from "../../../load/objectives/metrics.ts";
import type { Slo } from "../../../load/objectives/slo.ts";
import { formatNumber, plural } from "../../numbers.ts";
import { reasonedAlone } from "../metrics/reasoned-alone.ts";
import { uncheckedIn, violationsIn } from "../metrics/sample-check.ts";
import { leftOutInWords, unsteadyInWords } from "./run-steadiness.ts";

type Conclusion = Pick<RunResult, "exitCode" | "conclusion">;

export interface Assessment {
  readonly interrupted: boolean;
  /** Why Assay itself ended the run; absent in a run that its user interrupted, and in one that came to its end. */
  readonly aborted?: RunResult["aborted"];
  readonly validity: RunResult["validity"];
  readonly slos: readonly SloResult[];
  readonly outages: readonly Outage[];
  /** What came of checking exchanges against the specification. */
  readonly check?: SampleCheck | undefined;
  /** Of a target that refused every request that it answered; see `refusalOf`. */
  readonly refused?: string | undefined;
  /** Of a target that accepted connections and never responded. */
  readonly unanswered?: string | undefined;
  /** Absent: not looked at. */
  readonly steadiness?: RunResult["steadiness"];
  readonly leftOut?: RunResult["leftOut"];
  readonly settings?: RunResult["settings"];
  /** Of ok responses, and how many requests were ok: for responses without content. */
  readonly flags?: RunResult["flags"];
  readonly counts?: Pick<RunResult["counts"], "ok">;
  readonly metrics?: RunResult["metrics"];
  readonly inputs?: RunResult["inputs"];
}

/**
 * A run that was not steady says so, whatever else is said: its figures hold for no part of it. The exit code is that of the objectives.
 * @param slos the objectives whose results `assessment.slos` holds, in the same order
 */
export function conclude(assessment: Assessment, slos: readonly Slo[]): Conclusion {
  const { exitCode, conclusion } = concludeFigures(assessment, slos);
  const { steadiness, leftOut, settings } = assessment;
  const keptAll = settings?.steadyOnly === true && leftOut === undefined;
  const of = [...figuresOnlyInWords(assessment), ...emptyInWords(assessment), ...replayedInWords(assessment)];
  const more = [...of, unsteadyInWords(steadiness, keptAll), leftOutInWords(assessment)];
  return { exitCode, conclusion: [conclusion, ...more.filter((part) => part !== undefined)].join("; ") };
}

/** What a verdict says that was to leave chance out; nothing where it did not. */
export const figuresOnlyInWords = ({ settings }: Pick<Assessment, "settings">): readonly string[] =>
  settings?.confidence === "none" ? ["by the figures of this run only (confidence none)"] : [];

/** A stream without content is ok; where most are, nothing shows that the target generates text. */
function emptyInWords({
  flags: { empty = 0 } = {},
  counts: { ok } = { ok: 0 },
  metrics = {},
}: Assessment): readonly string[] {
  if (empty === 0 || empty * 2 < ok) return [];
  const alone = reasonedAlone(metrics);
  const more = `held reasoning alone: raise --max-tokens for content, or measure it by ttft_any`;
  const why = alone === 0 ? "" : alone < empty ? `; ${formatNumber(alone)} of these ${more}` : `, which ${more}`;
  return [`no content in ${formatNumber(empty)} of ${plural(ok, "ok response")}${why}`];
}

/** Where a cache returned most responses, the figures are those of the cache. */
function replayedInWords({ inputs, counts: { ok } = { ok: 0 } }: Assessment): readonly string[] {
  const replayed = inputs?.replayed ?? 0;
  return replayed > 0 && replayed * 2 >= ok
    ? [`${formatNumber(replayed)} of ${plural(ok, "ok response")} had the id of an earlier one, as from a cache`]
    : [];
}

function concludeFigures(assessment: Assessment, slos: readonly Slo[]): Conclusion {
  const { interrupted, aborted, validity, slos: results, check, refused } = assessment;
  const { verdict } = validity;
  const refusal = refused === undefined ? [] : [refused];
  if (interrupted && aborted !== undefined) return concludeAborted(aborted, assessment, slos);
  if (interrupted) {
    const cut = `the run was interrupted${verdict === "VALID" ? "" : ` and is ${verdict}`}`;
    return { exitCode: 2, conclusion: [cut, ...refusal].join("; ") };
  }
  if (verdict === "INVALID") return { exitCode: 2, conclusion: ["the run is INVALID", ...refusal].join("; ") };
  if (refusal.length > 0) return { exitCode: 2, conclusion: refusal.join("; ") };
  const missed = slos.filter((_, index) => results[index]?.ok === false);
  if (verdict === "CLIENT-LIMITED") {
    const certain = [...listed("missed", missed.filter(isIndependentOfTiming)), ...violationsIn(check)];
    return { exitCode: certain.length > 0 ? 1 : 2, conclusion: [...certain, TOO_SLOW].join("; ") };
  }
  const undecided = [
    ...listed(
      "undecided",
      slos.filter((_, index) => results[index]?.ok === null && !isCriterion(results[index])),
    ),
    ...uncheckedIn(check),
  ];
  const failures = [...listed("missed", missed), ...violationsIn(check), ...silence(assessment)];
  if (failures.length > 0) return { exitCode: 1, conclusion: [...failures, ...undecided].join("; ") };
  if (undecided.length > 0) return { exitCode: 2, conclusion: undecided.join("; ") };
  const met = slos.filter((_, index) => !isCriterion(results[index]));
  return { exitCode: 0, conclusion: listed("all objectives met", met).join("; ") };
}

/**
 * A run that Assay ended before its time is not whole, so that it is inconclusive; but what the target missed until then, it
 * has missed.
 */
function concludeAborted(
  aborted: NonNullable<RunResult["aborted"]>,
  assessment: Assessment,
  slos: readonly Slo[],
): Conclusion {
  const { validity, slos: results, check, refused } = assessment;
  const why = abortedInWords(aborted);
  if (validity.verdict === "INVALID") return { exitCode: 2, conclusion: `${why}; the run is INVALID` };
  if (refused !== undefined) return { exitCode: 2, conclusion: `${why}; ${refused}` };
  const limited = validity.verdict === "CLIENT-LIMITED";
  const missed = slos.filter((slo, index) => results[index]?.ok === false && (!limited || isIndependentOfTiming(slo)));
  const failures = [...listed("missed", missed), ...violationsIn(check), ...(limited ? [] : silence(assessment))];
  const rest = limited ? [TOO_SLOW] : [];
  return { exitCode: failures.length > 0 ? 1 : 2, conclusion: [why, ...failures, ...rest].join("; ") };
}

/** `ended 42.0 s into the run by error_rate>20% over 10s: 31% over the last 10s (62 units of work)`. */
export const abortedInWords = ({ atS, expr, reason }: NonNullable<RunResult["aborted"]>): string =>
  `ended ${atS.toFixed(1)} s into the run ${expr === undefined ? "because the target does not respond" : `by ${expr}`}: ${reason}`;

/** Of a CLIENT-LIMITED run. */
const TOO_SLOW = "load generator too slow: timings not usable";

/** A bound that only says which units are good is decided by the objective on goodput. */
const isCriterion = (result: SloResult | undefined): boolean => result?.criterion === true;

const isIndependentOfTiming = (slo: Slo): boolean => metric(slo.metric).independentOfTiming === true;

/** `missed: error_rate<1%, ok>=1`; nothing without objectives. */
const listed = (what: string, slos: readonly Slo[]): readonly string[] =>
  slos.length === 0 ? [] : [`${what}: ${slos.map(({ expr }) => expr).join(", ")}`];

function silence({ unanswered, outages }: Assessment): readonly string[] {
  if (unanswered !== undefined) return [unanswered];
  const outage = outages.find(({ recovered }) => !recovered);
  return outage === undefined
    ? []
    : [`the target stopped responding ${outage.fromS.toFixed(1)} s into the run and did not recover`];
}
