/** The formats in which results are written, each once: how its files end, and what writes each kind of result. */

import { type CompareResult, compareJson } from "../formats/compare.ts";
import { type ConformanceResult, conformanceJson } from "../formats/conformance.ts";
import { type ConformanceMatrix, conformanceMatrixJson } from "../formats/conformance-matrix.ts";
import { FILES } from "../formats/file-names.ts";
import { type RunResult, runJson } from "../formats/run.ts";
import { endSentence } from "../lib/text.ts";
import { notOneOf } from "../settings/nearest.ts";
import { UsageError } from "../settings/usage-error.ts";
import type { FirstRuns } from "./compare/views/both-strips.ts";
import { compareJunit } from "./compare/views/junit.ts";
import { compareMarkdown } from "./compare/views/markdown.ts";
import { conformanceBadge } from "./conformance/badge.ts";
import type { ExchangesById } from "./conformance/conformance-result.ts";
import { conformanceHar } from "./conformance/har.ts";
import { conformanceHtml } from "./conformance/html.ts";
import { conformanceJunit } from "./conformance/junit.ts";
import { conformanceMarkdown } from "./conformance/markdown.ts";
import { publishableSummary } from "./conformance/publishable.ts";
import { specificationHtml } from "./conformance/specification-html.ts";
import { loadJunit } from "./load/views/junit.ts";
import { loadMarkdown } from "./load/views/markdown.ts";
import { matrixHtml } from "./matrix/html.ts";
import { matrixJunit } from "./matrix/junit.ts";
import { matrixMarkdown } from "./matrix/markdown.ts";
import { matrixSpecificationHtml } from "./matrix/specification-columns.ts";

export interface ReportFormat {
  readonly ending: string;
  /** Only written where it is named. */
  readonly isOnRequest?: boolean;
  /** Absent: loads have no such report. */
  readonly load?: (run: RunResult) => string | Promise<string>;
  /** What its page links to, and which is written with it. */
  readonly linked?: readonly ReportFormat[];
  /** Absent: conformance results have no such report. Undefined where there is nothing to write. */
  readonly conformance?: (result: ConformanceResult, exchanges: ExchangesById) => string | undefined;
  /** Where that is written, and the same of a matrix; absent: to `conformance.` and the ending. */
  readonly conformanceFile?: string;
  /** Absent: comparisons have no such report. */
  readonly compare?: (result: CompareResult, first: FirstRuns) => string | Promise<string>;
  /** Of the results in the order of the columns. Absent: several targets together have no such report, only each its own. */
  readonly matrix?: (matrix: ConformanceMatrix, results: readonly ConformanceResult[]) => string;
}

const HAR: ReportFormat = { ending: "har", conformance: conformanceHar, conformanceFile: FILES.har };

const SPECIFICATION: ReportFormat = {
  ending: "html",
  conformance: specificationHtml,
  conformanceFile: FILES.specification,
  matrix: matrixSpecificationHtml,
};

/** By the name that `--format` takes. */
const REPORT_FORMATS: Readonly<Record<string, ReportFormat>> = {
  json: {
    ending: "json",
    load: runJson,
    conformance: conformanceJson,
    matrix: conformanceMatrixJson,
    compare: compareJson,
  },
  html: {
    ending: "html",
    // The chart library takes half a second to load, so only where a page is written.
    load: async (run) => (await import("./load/views/html.ts")).loadHtml(run),
    conformance: conformanceHtml,
    matrix: matrixHtml,
    linked: [HAR, SPECIFICATION],
    compare: async (result, first) => (await import("./compare/views/html.ts")).compareHtml(result, first),
  },
  md: {
    ending: "md",
    load: loadMarkdown,
    conformance: conformanceMarkdown,
    matrix: matrixMarkdown,
    compare: compareMarkdown,
  },
  junit: {
    ending: "junit.xml",
    load: loadJunit,
    conformance: conformanceJunit,
    matrix: matrixJunit,
    compare: compareJunit,
  },
  card: {
    ending: "card.html",
    isOnRequest: true,
    load: async (run) => (await import("./load/views/card.ts")).loadCard(run),
  },
  har: HAR,
  badge: { ending: "svg", conformance: conformanceBadge, conformanceFile: FILES.badge },
  summary: { ending: "md", conformance: publishableSummary, conformanceFile: FILES.summary },
};

/** The names of the formats. */
export const FORMAT_NAMES = Object.keys(REPORT_FORMATS);

export const ALL_FORMATS: readonly ReportFormat[] = Object.values(REPORT_FORMATS);

/** Those that are written where none is named. */
export const USUAL_FORMATS: readonly ReportFormat[] = ALL_FORMATS.filter(({ isOnRequest }) => isOnRequest !== true);

/** The formats with what their pages link to. */
export const withLinked = (formats: readonly ReportFormat[]): readonly ReportFormat[] => [
  ...new Set(formats.flatMap((format) => [format, ...(format.linked ?? [])])),
];

/** Reads a list such as `html,md`. @throws UsageError that names the formats there are */
export function parseFormats(text: string): readonly ReportFormat[] {
  return text.split(",").map((name) => {
    const [, format] = Object.entries(REPORT_FORMATS).find(([known]) => known === name.trim()) ?? [];
    if (format !== undefined) return format;
    throw new UsageError(`Cannot write the report: ${endSentence(notOneOf(name, FORMAT_NAMES))}`);
  });
}
