/** What the page and the terminal say of a calibration in the same words: the verdict, then the same sections. */

import type { Calibration, CalibrationStep } from "../../formats/calibration.ts";
import { sentence } from "../../lib/text.ts";
import { formatFigure, formatInstant, formatNumber } from "../numbers.ts";
import { inOrder, type Section } from "../section-list.ts";
import type { VerdictWord } from "../verdict-words.ts";
import { lateTarget, lateTargetStep, stepNote, TRUSTED_GAP_ERROR_MS } from "./calibration-steps.ts";

const SECTIONS = { limits: "Limits", steps: "Steps", errors: "Error against the ground truth", machine: "Machine" };

const BASIS =
  "Measurement error against the ground truth of the target, in ms; wake: wake-up latency; lag: schedule lag";
const HEAD = [
  ...["streams", "chunks/s", "gap p50", "p99", "max", "ttft p50", "p99", "max"],
  ...["wake p99", "lag p99", "CPU µs/chunk", "MB/stream"],
];
const ABSENT = "-";
const figure = (value: number | undefined): string => (value === undefined ? ABSENT : formatFigure(value));
const whole = (value: number): string => formatNumber(Math.round(value));

/** A part of a report; each view shows it in its way. */
export type CalibrationBody =
  | { readonly lines: readonly string[] }
  | { readonly basis: string; readonly head: readonly string[]; readonly rows: readonly StepRow[] }
  | { readonly steps: readonly CalibrationStep[] }
  | { readonly facts: readonly (readonly [string, string])[] };

interface StepRow {
  readonly cells: readonly string[];
  readonly isTrusted: boolean;
}

export const calibrationSections = (calibration: Calibration): Section<CalibrationBody>[] =>
  inOrder<keyof typeof SECTIONS, CalibrationBody>(SECTIONS, {
    limits: { lines: limitsOf(calibration) },
    steps: {
      ...{ basis: BASIS, head: HEAD },
      rows: calibration.steps.map((step) => ({ cells: cellsOf(step), isTrusted: stepNote(step) === "" })),
    },
    errors: { steps: calibration.steps },
    machine: { facts: factsOf(calibration) },
  });

/** Up to which load this machine can be trusted, and in a sentence. */
export function calibrationVerdict(calibration: Calibration): VerdictWord & { readonly sentence: string } {
  const { trusted } = calibration;
  const late = lateTargetStep(calibration);
  if (late !== undefined) return { word: "INCONCLUSIVE", tone: "unsure", sentence: sentence(lateTarget(late)) };
  if (trusted === undefined) {
    const everyStep = `The p99 gap error is above ${TRUSTED_GAP_ERROR_MS} ms at every step: times measured on this machine cannot be trusted.`;
    return { word: "NOT TRUSTED", tone: "unsure", sentence: everyStep };
  }
  const { streams, chunksPerS } = trusted;
  const speed = chunksPerS === undefined ? "" : ` (${whole(chunksPerS)} chunks/s)`;
  const upTo = `Trusted up to ${streams} streams${speed}: p99 gap error at most ${TRUSTED_GAP_ERROR_MS} ms.`;
  return { word: "TRUSTED", tone: "good", sentence: upTo };
}

/** Each reason why steps are not trusted, with the steps; where there is none, how far it was looked. */
function limitsOf({ steps }: Calibration): string[] {
  const notes = new Set(steps.map(stepNote).filter((note) => note !== ""));
  if (notes.size === 0) return [`none found up to ${steps.at(-1)?.streams} streams; --streams names more`];
  const at = (note: string) => steps.filter((step) => stepNote(step) === note).map(({ streams }) => streams);
  return [...notes].map((note) => `${at(note).join(", ")} streams: ${note}`);
}

function cellsOf(step: CalibrationStep): string[] {
  const { gapError: gap, ttftError: ttft } = step;
  return [
    String(step.streams),
    step.chunksPerS === undefined ? ABSENT : whole(step.chunksPerS),
    ...[gap.p50, gap.p99, gap.max, ttft.p50, ttft.p99, ttft.max].map(figure),
    ...[step.wakeP99Ms, step.lagP99Ms, step.cpuUsPerChunk, step.memoryMbPerUser].map(figure),
  ];
}

const factsOf = ({ machine, target, tool, k6, at }: Calibration): [string, string][] => [
  ["load generator", `${machine.cpus} CPUs (${machine.model}), ${formatNumber(machine.memoryGb)} GB`],
  [
    "target",
    target === undefined ? "bundled mock, on the same machine" : `${target}; the ttft error includes the network`,
  ],
  ["measured", `${formatInstant(at)} with ${tool}${k6 === undefined ? "" : `, k6 ${k6}`}`],
];
