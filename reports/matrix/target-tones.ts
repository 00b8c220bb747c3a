/** The tone in which a result of an exit code is shown. */

import type { ConformanceResult } from "../../formats/conformance.ts";
import type { Tone } from "../verdict-words.ts";

export const targetTone = ({ exitCode }: Pick<ConformanceResult, "exitCode">): Tone =>
  exitCode === 0 ? "good" : exitCode === 2 ? "unsure" : "bad";
