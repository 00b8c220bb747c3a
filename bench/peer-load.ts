/** The load that every tool is given, and what comes of it. */

import { readFileSync } from "node:fs";
import type { GroundTruthErrors } from "../reports/calibration/ground-truth-errors.ts";
import { STREAM_S } from "../runs/calibrate/run-calibration.ts";
import { type Definitions, type Figures, streamsOf, trueFigures } from "./peer-figures.ts";
import type { Compared } from "./peer-predictions.ts";

/** Streams at a constant rate, and no other request before or beside them. */
export interface PeerLoad {
  /** How many are open at once. */
  readonly streams: number;
  /** Every N-th stream fails; 0: none. */
  readonly failEvery: number;
}

/** For how long streams are begun. */
export const SENDING_S = 10;
export const INPUT_TOKENS = 20;

/** Arrivals per second. */
export const rateOf = ({ streams }: PeerLoad): number => streams / STREAM_S;
/** How many streams are begun. */
export const requestsOf = (load: PeerLoad): number => Math.round(rateOf(load) * SENDING_S);

/** What a tool reported of a run, and the truth by the tool's definitions. */
export interface PeerRun {
  readonly reported: Figures;
  readonly truth: Figures;
  /** Of each time to first token and each gap, for tools that write these. */
  readonly errors?: GroundTruthErrors | undefined;
  /** What `assay report --as` predicts, beside what the tool printed. */
  readonly predictions?: readonly Compared[];
}

/** @param ledger the server's ground-truth file */
export const truthOf = (ledger: string, definitions: Definitions): Figures =>
  trueFigures(streamsOf(readFileSync(ledger, "utf8").trimEnd().split("\n")), definitions);
