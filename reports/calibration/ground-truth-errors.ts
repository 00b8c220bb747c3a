/**
 * Measurement error: the times in the records compared with the ground truth of the target, request by request, joined by
 * `x-request-id`. Error = |recorded value − value of the target|.
 */

import type { ErrorSize } from "../../formats/calibration.ts";
import { type GroundTruthTimes, groundTruthTimes } from "../../formats/ground-truth.ts";
import { kindOfLine, type RequestRecord, recordHeader, requestRecord } from "../../formats/records.ts";
import { type Lines, readLines } from "../json-lines.ts";
import { FloatVector } from "../load/stats/float-vector.ts";
import { quantile } from "../load/stats/quantiles.ts";

export interface GroundTruthErrors {
  /** Time to first token, records against ground truth. */
  readonly ttft: ErrorSize;
  /** Gaps between chunks, records against ground truth. */
  readonly gap: ErrorSize;
  /** Gaps between chunks, target against its own plan: the part of the error that is not the load generator's. */
  readonly serverGap: ErrorSize;
  /** Measured requests with the outcome ok that are not in the ground truth, or with another number of chunks. */
  readonly unmatched: number;
}

/**
 * Compares the records of a load of streamed chat with the ground truth of its target.
 * @throws Error when a line of either cannot be read
 */
export async function compareWithGroundTruth(records: Lines, ledger: Lines): Promise<GroundTruthErrors> {
  const rows = new Map<string, GroundTruthTimes>();
  await readWhole("ledger.jsonl", ledger, (value) => {
    const row = groundTruthTimes.parse(value);
    if (row.actual_ms.length > 0) rows.set(row.id, row);
  });
  const errors = { ttft: new FloatVector(), gap: new FloatVector(), serverGap: new FloatVector() };
  let unmatched = 0;
  let header = true;
  await readWhole("records.jsonl", records, (value) => {
    if (header) {
      recordHeader.pick({ schema: true }).parse(value);
      header = false;
      return;
    }
    if (kindOfLine(value) !== "request") return;
    const record = requestRecord.parse(value);
    if (record.op !== "chat.stream" || record.phase !== "measure" || record.outcome !== "ok") return;
    const row = rows.get(record.id);
    if (row === undefined || row.actual_ms.length !== record.chunks) unmatched += 1;
    else addErrors(record, row, errors);
  });
  return { ttft: sizeOf(errors.ttft), gap: sizeOf(errors.gap), serverGap: sizeOf(errors.serverGap), unmatched };
}

async function readWhole(name: string, lines: Lines, take: (value: unknown) => void): Promise<void> {
  const { problems } = await readLines(name, lines, take);
  if (problems.length > 0) throw new Error(`Cannot compare the records with the ledger: ${problems.join("; ")}`);
}

function addErrors(
  { ttft, gaps_us = [] }: RequestRecord,
  { actual_ms, planned_ms }: GroundTruthTimes,
  errors: { readonly ttft: FloatVector; readonly gap: FloatVector; readonly serverGap: FloatVector },
): void {
  const at = (times: readonly number[], index: number): number => times[index] ?? Number.NaN;
  const gapBefore = (times: readonly number[], index: number): number => at(times, index) - at(times, index - 1);
  if (ttft !== undefined) errors.ttft.push(Math.abs(ttft - at(actual_ms, 0)));
  for (const [index, gapUs] of gaps_us.entries()) {
    errors.gap.push(Math.abs(gapUs / 1_000 - gapBefore(actual_ms, index + 1)));
    if (planned_ms.length < actual_ms.length) continue; // A server without a plan.
    errors.serverGap.push(Math.abs(gapBefore(actual_ms, index + 1) - gapBefore(planned_ms, index + 1)));
  }
}

function sizeOf(errors: FloatVector): ErrorSize {
  const sorted = errors.sorted();
  if (sorted.length === 0) return { count: 0, p50: 0, p99: 0, max: 0 };
  const at = (permille: number): number => quantile(sorted, permille);
  return { count: sorted.length, p50: at(500), p99: at(990), p999: at(999), max: at(1_000) };
}
