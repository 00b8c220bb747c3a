/** A calibration for a terminal: a line per step, then the load up to which this machine can be trusted. */

import pc from "picocolors";
import type { Calibration, CalibrationStep } from "../../formats/calibration.ts";
import { formatFigure, formatNumber } from "../numbers.ts";
import { type Colours, columns, type TerminalOptions } from "../terminal-text.ts";
import { isTrusted, stepNote, TRUSTED_GAP_ERROR_MS } from "./calibration-steps.ts";

const HEAD = [
  "streams",
  "chunks/s",
  "gap p50",
  "p99",
  "max",
  "ttft p50",
  "p99",
  "max",
  "wake p99",
  "lag p99",
  "CPU µs/chunk",
  "MB/user",
];
const ABSENT = "-";
const figure = (value: number | undefined): string => (value === undefined ? ABSENT : formatFigure(value));

/** A calibration as lines of text; errors and lag in milliseconds. */
export function calibrationTerminal(calibration: Calibration, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const { machine, steps, trusted } = calibration;
  const right = new Set(HEAD.map((_, index) => index));
  const [head = "", ...lines] = columns([HEAD, ...steps.map(cells)], right);
  const verdict =
    trusted === undefined
      ? c.yellow(
          `The p99 gap error is above ${TRUSTED_GAP_ERROR_MS} ms at every step: times measured on this machine cannot be trusted.`,
        )
      : c.green(
          `Trusted up to ${trusted.streams} streams${speed(trusted.chunksPerS)}: p99 gap error at most ${TRUSTED_GAP_ERROR_MS} ms.`,
        );
  return `${[
    c.dim(`${machine.cpus} CPUs (${machine.model}), ${formatNumber(machine.memoryGb)} GB; ${where(calibration)}`),
    c.dim("measurement error against the ground truth of the target, in ms; wake: wake-up latency; lag: schedule lag"),
    "",
    c.dim(head),
    ...lines.map((line, index) => withNote(line, steps[index], c)),
    "",
    verdict,
  ].join("\n")}\n`;
}

const where = ({ target }: Calibration): string =>
  target === undefined ? "shared by load generator and mock" : `against ${target}; the ttft error includes the network`;

function cells(step: CalibrationStep): string[] {
  const { gapError: gap, ttftError: ttft } = step;
  return [
    String(step.streams),
    step.chunksPerS === undefined ? ABSENT : formatNumber(Math.round(step.chunksPerS)),
    ...[gap.p50, gap.p99, gap.max, ttft.p50, ttft.p99, ttft.max].map(figure),
    ...[step.wakeP99Ms, step.lagP99Ms, step.cpuUsPerChunk, step.memoryMbPerUser].map(figure),
  ];
}

function withNote(line: string, step: CalibrationStep | undefined, c: Colours): string {
  const note = step === undefined ? "" : stepNote(step);
  const shown = step !== undefined && isTrusted(step) ? line : c.yellow(line);
  return note === "" ? shown : `${shown}  ${c.dim(note)}`;
}

const speed = (chunksPerS: number | undefined): string =>
  chunksPerS === undefined ? "" : ` (${formatNumber(Math.round(chunksPerS))} chunks/s)`;
