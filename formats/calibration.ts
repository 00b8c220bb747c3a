/** `calibration.json`: the measurement error of this machine at each load, and the load up to which it can be trusted. */

import { z } from "zod";
import { optional } from "./members.ts";

const errorSize = z
  .object({
    count: z.number().describe("number of samples"),
    p50: z.number().describe("median"),
    p99: z.number().describe("99th percentile"),
    p999: optional.describe("99.9th percentile"),
    max: z.number().describe("maximum"),
  })
  .meta({ id: "error", description: "size of an error, in milliseconds" });
export type ErrorSize = z.infer<typeof errorSize>;

const calibrationStep = z.object({
  streams: z.number().describe("streams that were to be open at once"),
  openMax: optional.describe("peak of the requests in flight"),
  chunksPerS: optional.describe("chunks received per second, of all streams"),
  ttftError: errorSize.describe("error of the time to first token, in milliseconds"),
  gapError: errorSize.describe("error of the gaps between chunks, in milliseconds"),
  serverGapError: errorSize.describe("how far the gaps of the server were from its own plan, in milliseconds"),
  unmatched: z.number().describe("requests that are not in the ground truth as recorded"),
  lagP99Ms: optional.describe("99th percentile of the schedule lag, in milliseconds"),
  cpuUsPerChunk: optional.describe("CPU time of the load generator per chunk, in microseconds"),
  memoryMbPerUser: optional.describe("memory above that of the first step, per further request in flight"),
  wakeP99Ms: optional.describe("p99 of the wake-up latency: what a run knows of its own error"),
  validity: z.string().describe("verdict of the run of this step"),
});
export type CalibrationStep = z.infer<typeof calibrationStep>;

export const calibration = z.object({
  schema: z.literal("assay.calibration/1"),
  at: z.string().describe("when it was measured, ISO 8601 in UTC"),
  tool: z.string().describe("version of Assay"),
  k6: z.string().optional().describe("version of k6"),
  target: z.string().optional().describe("the user's own target; absent: the bundled mock, on the same machine"),
  machine: z
    .object({
      cpus: z.number().describe("CPU cores"),
      model: z.string().describe("name of the processor"),
      memoryGb: z.number().describe("memory, in gigabytes"),
    })
    .describe("the machine of the load generator"),
  steps: z.array(calibrationStep).describe("one per number of streams, ascending"),
  trusted: z
    .object({
      streams: z.number().describe("streams open at once"),
      chunksPerS: optional.describe("chunks received per second, of all streams"),
    })
    .optional()
    .describe("the largest load up to which every p99 gap error is within the bound; absent when there is none"),
});
export type Calibration = z.infer<typeof calibration>;

/** Reads a calibration that was parsed from JSON. @throws ZodError */
export const parseCalibration = (value: unknown): Calibration => calibration.parse(value);

/** Writes `calibration.json`, checked against its schema first. */
export const calibrationJson = (value: Calibration): string => `${JSON.stringify(calibration.parse(value), null, 2)}\n`;
