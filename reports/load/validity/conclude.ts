/** The exit code of a load run and the sentence that explains it. Inconclusive (2) comes before failed (1). */

import type { Outage, RunResult, SloResult } from "../../../formats/run.ts";

type Conclusion = Pick<RunResult, "exitCode" | "conclusion">;

export interface Assessment {
  readonly interrupted: boolean;
  readonly validity: RunResult["validity"];
  readonly slos: readonly SloResult[];
  readonly outages: readonly Outage[];
}

export function conclude({ interrupted, validity, slos, outages }: Assessment): Conclusion {
  if (validity.verdict !== "VALID") {
    return { exitCode: 2, conclusion: `the run is ${validity.verdict}` };
  }
  if (interrupted) return { exitCode: 2, conclusion: "the run was interrupted" };
  const undecided = slos.filter(({ ok }) => ok === null).map(({ expr }) => expr);
  const missed = slos.filter(({ ok }) => ok === false).map(({ expr }) => expr);
  if (undecided.length > 0) {
    const also = missed.length > 0 ? `; missed: ${missed.join(", ")}` : "";
    return { exitCode: 2, conclusion: `undecided: ${undecided.join(", ")}${also}` };
  }
  const unrecovered = outages.find(({ recovered }) => !recovered);
  const failures = [
    ...(missed.length > 0 ? [`missed: ${missed.join(", ")}`] : []),
    ...(unrecovered
      ? [`the target stopped responding ${unrecovered.fromS.toFixed(1)} s into the run and did not recover`]
      : []),
  ];
  if (failures.length > 0) return { exitCode: 1, conclusion: failures.join("; ") };
  return { exitCode: 0, conclusion: `all objectives met: ${slos.map(({ expr }) => expr).join(", ")}` };
}
