/** The formats in which results are written, each once: how its files end, and what writes a load and a conformance run. */

import { type ConformanceResult, conformanceJson } from "../formats/conformance.ts";
import { type RunResult, runJson } from "../formats/run.ts";
import { UsageError } from "../settings/usage-error.ts";
import type { ExchangesById } from "./conformance/conformance-result.ts";
import { conformanceHtml } from "./conformance/html.ts";
import { conformanceJunit } from "./conformance/junit.ts";
import { conformanceMarkdown } from "./conformance/markdown.ts";
import { loadJunit } from "./load/views/junit.ts";
import { loadMarkdown } from "./load/views/markdown.ts";

export interface ReportFormat {
  readonly ending: string;
  readonly load: (run: RunResult) => string | Promise<string>;
  readonly conformance: (result: ConformanceResult, exchanges: ExchangesById) => string;
}

/** By the name that `--format` takes. */
const REPORT_FORMATS: Readonly<Record<string, ReportFormat>> = {
  json: { ending: "json", load: runJson, conformance: conformanceJson },
  html: {
    ending: "html",
    // The chart library takes half a second to load, so only where a page is written.
    load: async (run) => (await import("./load/views/html.ts")).loadHtml(run),
    conformance: conformanceHtml,
  },
  md: { ending: "md", load: loadMarkdown, conformance: conformanceMarkdown },
  junit: { ending: "junit.xml", load: loadJunit, conformance: conformanceJunit },
};

/** The names of the formats. */
export const FORMAT_NAMES = Object.keys(REPORT_FORMATS);

export const ALL_FORMATS: readonly ReportFormat[] = Object.values(REPORT_FORMATS);

/** Reads a list such as `html,md`. @throws UsageError that names the formats there are */
export function parseFormats(text: string): readonly ReportFormat[] {
  return text.split(",").map((name) => {
    const [, format] = Object.entries(REPORT_FORMATS).find(([known]) => known === name.trim()) ?? [];
    if (format !== undefined) return format;
    throw new UsageError(`Cannot write "${name}": it is not one of the formats ${FORMAT_NAMES.join(", ")}.`);
  });
}
