/** A calibration for a terminal: the load up to which this machine can be trusted, then a line per step. */

import pc from "picocolors";
import type { Calibration } from "../../formats/calibration.ts";
import { plainLine } from "../../lib/text.ts";
import { columns, joinSections, paint, type TerminalOptions } from "../terminal-text.ts";
import { calibrationSections, calibrationVerdict } from "./calibration-report.ts";

/** A calibration as lines of text, ending with a line end. */
export function calibrationTerminal(calibration: Calibration, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const { word, tone, sentence } = calibrationVerdict(calibration);
  const sections = calibrationSections(calibration).map(({ title, body }) => {
    if ("lines" in body) return body.lines.map((line) => `  ${title}: ${line}`);
    if ("facts" in body) return columns(body.facts.map(([name, text]) => [`  ${name}`, plainLine(text)])).map(c.dim);
    // The rows have the figures that the charts draw.
    if ("steps" in body) return [];
    const right = new Set(body.head.map((_, index) => index));
    const [head = "", ...lines] = columns([body.head, ...body.rows.map(({ cells }) => cells)], right);
    const rows = lines.map((line, index) => (body.rows[index]?.isTrusted ? line : c.yellow(line)));
    return [c.dim(body.basis), c.dim(head), ...rows];
  });
  return joinSections([[`${paint(tone, c)(c.bold(word))}  ${sentence}`], ...sections]);
}
