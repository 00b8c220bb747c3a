/** The exit code of a load run and the sentence that explains it. No conclusion (2) comes before falling short (1). */

import type { Outage, RunResult } from "../../../formats/run.ts";
import type { SloResult } from "../metrics/slo.ts";

type Conclusion = Pick<RunResult, "exitCode" | "conclusion">;

export interface Judged {
  readonly interrupted: boolean;
  readonly validity: RunResult["validity"];
  readonly slos: readonly SloResult[];
  readonly outages: readonly Outage[];
}

export function conclude({ interrupted, validity, slos, outages }: Judged): Conclusion {
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
  const dead = outages.find(({ recovered }) => !recovered);
  const short = [
    ...(missed.length > 0 ? [`missed: ${missed.join(", ")}`] : []),
    ...(dead ? [`the target stopped answering ${dead.fromS.toFixed(1)} s into the run and never came back`] : []),
  ];
  if (short.length > 0) return { exitCode: 1, conclusion: short.join("; ") };
  return { exitCode: 0, conclusion: `all that was asked holds: ${slos.map(({ expr }) => expr).join(", ")}` };
}
