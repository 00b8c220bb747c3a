/** Metrics of the target's own, read beside a load: `--scrape`. Pure. */

import { UsageError } from "./usage-error.ts";

/** Where metrics are read, and what they are called in the report. */
export interface ScrapeSource {
  readonly name: string;
  readonly url: string;
}

const SEPARATOR = /,(?=\s*(?:[^=,/]+=)?https?:\/\/)/;

/**
 * Reads `http://host:8000/metrics` or `NAME=URL`, several joined by commas. Without a path, it is `/metrics`.
 * @throws UsageError that says how a source is written
 */
export function parseScrapes(text: string): readonly ScrapeSource[] {
  const sources = text.split(SEPARATOR).map((one) => parseSource(one.trim()));
  const names = sources.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`two sources are called "${twice}"; name them as NAME=URL`);
  return sources;
}

function parseSource(text: string): ScrapeSource {
  const [, name, address = ""] = /^(?:([^=/]+)=)?(.*)$/s.exec(text) ?? [];
  if (/[?#@]/.test(address)) {
    throw new UsageError(
      "the address contains a user, a query or a fragment, where a key could be, and it is written into results; write it without",
    );
  }
  if (!/^https?:\/\/[^\s/]+(?:\/\S*)?$/i.test(address) || !URL.canParse(address)) {
    throw new UsageError(
      `"${address}" is not an address; write one such as http://127.0.0.1:8000/metrics, or NAME=URL`,
    );
  }
  const url = new URL(address);
  if (url.pathname === "/") url.pathname = "/metrics";
  return { name: name?.trim() || url.host, url: url.href };
}

/** Writes sources the way `parseScrapes` reads them. */
export const formatScrapes = (sources: readonly ScrapeSource[]): string =>
  sources.map(({ name, url }) => `${name}=${url}`).join(",");

/**
 * Reads a regular expression for names of metrics, which is looked for anywhere in a name.
 * @throws UsageError when it is none
 */
export function parseSeriesPattern(text: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch {
    throw new UsageError(`"${text}" is not a regular expression; write one such as ^vllm:(prompt|generation)_tokens`);
  }
}
