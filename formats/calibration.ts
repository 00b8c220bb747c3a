/** `calibration.json`: the measurement error of this machine at each load, and the load up to which it can be trusted. */

import { z } from "zod";

const errorSize = z
  .object({ count: z.number(), p50: z.number(), p99: z.number(), max: z.number() })
  .describe("size of an error, in milliseconds");
export type ErrorSize = z.infer<typeof errorSize>;

const optional = z.number().optional();

const calibrationStep = z.object({
  streams: z.number().describe("streams that were to be open at once"),
  openMax: optional.describe("peak of the requests in flight"),
  chunksPerS: optional,
  ttftError: errorSize,
  gapError: errorSize,
  serverGapError: errorSize.describe("how far the gaps of the server were from its own plan, in milliseconds"),
  unmatched: z.number().describe("requests that are not in the ground truth as recorded"),
  lagP99Ms: optional,
  cpuUsPerChunk: optional,
  memoryMbPerUser: optional.describe("memory above that of the first step, per further virtual user"),
  wakeP99Ms: optional.describe("p99 of the wake-up latency: what a run knows of its own error"),
  validity: z.string(),
});
export type CalibrationStep = z.infer<typeof calibrationStep>;

export const calibration = z.object({
  schema: z.literal("assay.calibration/1"),
  at: z.string(),
  tool: z.string(),
  k6: z.string().optional(),
  target: z.string().optional().describe("the user's own target; absent: the bundled mock, on the same machine"),
  machine: z.object({ cpus: z.number(), model: z.string(), memoryGb: z.number() }),
  steps: z.array(calibrationStep),
  trusted: z
    .object({ streams: z.number(), chunksPerS: optional })
    .optional()
    .describe("the largest load up to which every p99 gap error is within the bound; absent when there is none"),
});
export type Calibration = z.infer<typeof calibration>;

/** Reads a calibration that was parsed from JSON. @throws ZodError */
export const parseCalibration = (value: unknown): Calibration => calibration.parse(value);

/** Writes `calibration.json`, checked against its schema first. */
export const calibrationJson = (value: Calibration): string => `${JSON.stringify(calibration.parse(value), null, 2)}\n`;
