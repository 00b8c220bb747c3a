/**
 * Reads metrics in the text format of Prometheus, also as OpenMetrics, of which it reads samples only. It takes what a
 * server sends for hostile: each character is looked at once, nothing is evaluated, and what is kept is bounded. Pure.
 */

/** A sample of one time series. */
export interface MetricSample {
  readonly name: string;
  /** The name with its labels in order, such as `queue{model="m",rank="0"}`. */
  readonly series: string;
  readonly value: number;
}

/** What a text contains. */
export interface MetricsText {
  /** Those that were asked for and have a number, in the order of the text. */
  readonly samples: readonly MetricSample[];
  /** Lines of a wanted metric that cannot be read. */
  readonly malformed: number;
  /** Samples beyond the number that is kept, and those whose labels are too long. */
  readonly dropped: number;
  /** Whether any line has the form of a sample or a comment. */
  readonly isMetrics: boolean;
}

/** Longest name of a series, with its labels. */
export const LONGEST_SERIES = 512;

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\\n]|\\[\\"n])*)"[ \t]*(,?)/y;
const VALUE = /[ \t]*([^ \t#]+)(?:[ \t]+[+-]?[\d.]+(?:[eE][+-]?\d+)?)?[ \t]*(?:#.*)?$/y;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const NOT_FINITE = /^[+-]?(?:inf(?:inity)?|nan)$/i;

/**
 * Reads a text.
 * @param isWanted whether a metric of this name is kept
 * @param most so many samples are kept
 */
export function parseMetricsText(text: string, isWanted: (name: string) => boolean, most: number): MetricsText {
  const samples: MetricSample[] = [];
  let malformed = 0;
  let dropped = 0;
  let isMetrics = false;
  for (const line of linesIn(text)) {
    if (line === "" || line.startsWith("#")) {
      if (/^# (?:HELP|TYPE|UNIT|EOF)\b/.test(line)) isMetrics = true;
      continue;
    }
    const name = matchAt(NAME, line, 0)?.[0];
    if (name === undefined || !/^[{ \t]/.test(line.slice(name.length, name.length + 1))) continue;
    if (!isWanted(name)) {
      isMetrics ||= sampleIn(name, line) !== undefined;
      continue;
    }
    const sample = sampleIn(name, line);
    if (sample === undefined) malformed += 1;
    else {
      isMetrics = true;
      if (!Number.isFinite(sample.value)) continue;
      if (samples.length >= most || sample.series.length > LONGEST_SERIES) dropped += 1;
      else samples.push(sample);
    }
  }
  return { samples, malformed, dropped, isMetrics };
}

function* linesIn(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end < 0 ? undefined : end);
    yield line.endsWith("\r") ? line.slice(0, -1).trimStart() : line.trimStart();
    if (end < 0) return;
    from = end + 1;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function sampleIn(name: string, line: string): MetricSample | undefined {
  const labels = line[name.length] === "{" ? labelsIn(line, name.length + 1) : { series: "", end: name.length };
  if (labels === undefined) return undefined;
  const value = numberIn(matchAt(VALUE, line, labels.end)?.[1]);
  return value === undefined ? undefined : { name, series: name + labels.series, value };
}

/** Labels from their opening brace on; undefined when they are damaged. */
function labelsIn(line: string, from: number): { readonly series: string; readonly end: number } | undefined {
  const labels = new Map<string, string>();
  let at = from;
  for (let isOpen = true; ; ) {
    const closed = matchAt(/[ \t]*\}/y, line, at);
    if (closed !== null) {
      const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1)).map(([label, value]) => `${label}="${value}"`);
      return { series: sorted.length === 0 ? "" : `{${sorted.join(",")}}`, end: at + closed[0].length };
    }
    const label: readonly (string | undefined)[] = (isOpen ? matchAt(LABEL, line, at) : null) ?? [];
    const [whole, name, value, comma] = label;
    if (whole === undefined || name === undefined || value === undefined || labels.has(name)) return undefined;
    labels.set(name, value);
    isOpen = comma === ",";
    at += whole.length;
  }
}

function numberIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (DECIMAL.test(text)) return Number(text);
  return NOT_FINITE.test(text) ? Number.NaN : undefined;
}
