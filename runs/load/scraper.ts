/**
 * Reads the target's own metrics beside a load, from this process and not from the load generator. What is read is bounded in
 * size, time and number of series, redirects are not followed, and the key goes to the target's own address only. A source
 * that fails is said once, and is no failure of the run.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Connection } from "../../conformance/engine/target-connection.ts";
import { sleep } from "../../conformance/engine/waiting.ts";
import { withOwnHeaders } from "../../contract/own-headers.ts";
import { bearer } from "../../contract/service.ts";
import { FILES } from "../../formats/file-names.ts";
import type { ScrapeLine, ScrapesHeader } from "../../formats/scrapes.ts";
import { boundedText } from "../../lib/bounded-text.ts";
import { appendToOwnFile } from "../../lib/own-files.ts";
import { parseMetricsText } from "../../lib/prometheus-text.ts";
import { steadyNow } from "../../lib/steady-clock.ts";
import { timeLimit } from "../../lib/time-limit.ts";
import { roleOf } from "../../reports/load/metrics/known-series.ts";
import { Connections } from "../../route/connections.ts";
import { formatInstant } from "../../settings/instants.ts";
import type { ScrapeSource } from "../../settings/scrape-source.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

/** Most bytes that are read of one response; servers with many models send about one MiB. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Longest time for one response. */
const LONGEST_MS = 5_000;
/** Series of one source that are kept. */
export const MOST_SERIES = 64;

/** What is read. */
export interface ScrapePlan {
  readonly sources: readonly ScrapeSource[];
  readonly intervalMs: number;
  /** Names of metrics to keep in addition to those that are known. */
  readonly others?: RegExp;
}

export interface ScrapeOptions {
  /** The result folder. */
  readonly folder: string;
  /** How the target is reached. */
  readonly connection: Connection;
  readonly redact: (text: string) => string;
  /** Tells the user of the first failure of each source. */
  readonly say: (sentence: string) => void;
  /** Bounds the time of a reading; default: `timeLimit`. */
  readonly limit?: typeof timeLimit;
}

/** Reads until `stop`. */
export interface Scraping {
  stop(): Promise<void>;
}

/**
 * Begins to read.
 * @throws UsageError when its file cannot be created
 */
export function startScraping(plan: ScrapePlan, options: ScrapeOptions): Scraping {
  if (plan.sources.length === 0) return { stop: () => Promise.resolve() };
  const file = join(options.folder, FILES.scrapes);
  const header: ScrapesHeader = {
    schema: "assay.scrapes/1",
    intervalMs: plan.intervalMs,
    sources: plan.sources.map(({ name, url }) => ({ name, url })),
  };
  try {
    writeFileSync(file, `${JSON.stringify(header)}\n`, { flag: "wx" });
  } catch (error) {
    throw new UsageError(`Cannot write ${file}: ${reasonOf(error)}. Free space on its disk, or name another folder.`);
  }
  const connections = new Connections(options.connection);
  const scrapers = plan.sources.map((source) => new SourceScraper(source, plan, { ...options, file, connections }));
  return {
    stop: async () => {
      await Promise.all(scrapers.map((scraper) => scraper.stop()));
      await connections.destroy();
    },
  };
}

type SourceOptions = ScrapeOptions & { readonly file: string; readonly connections: Connections };

class SourceScraper {
  readonly #source: ScrapeSource;
  readonly #plan: ScrapePlan;
  readonly #options: SourceOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #ended = new AbortController();
  readonly #loop: Promise<void>;
  #failed = false;
  #unsaved = false;

  constructor(source: ScrapeSource, plan: ScrapePlan, options: SourceOptions) {
    this.#source = source;
    this.#plan = plan;
    this.#options = options;
    this.#headers = headersFor(source.url, options.connection);
    this.#loop = this.#run();
  }

  /** Ends at once; a reading that is under way is left out. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#loop;
  }

  /** One reading after the other, at the times of a schedule that a slow one does not move. */
  async #run(): Promise<void> {
    const begin = performance.now();
    const { intervalMs } = this.#plan;
    const { signal } = this.#ended;
    for (let next = 0; !signal.aborted; ) {
      await this.#readOnce();
      next = Math.max(next + 1, Math.ceil((performance.now() - begin) / intervalMs));
      await sleep(begin + next * intervalMs - performance.now(), signal);
    }
  }

  async #readOnce(): Promise<void> {
    const begin = performance.now();
    const read = await this.#read();
    if (this.#ended.signal.aborted) return;
    const { values, ...rest } = read;
    this.#save({
      at: formatInstant(steadyNow()),
      source: this.#source.name,
      tookMs: Math.round((performance.now() - begin) * 1_000) / 1_000,
      ...(values !== undefined && { values: Object.fromEntries(values) }),
      ...rest,
    });
    if (read.error !== undefined) this.#sayOnce(read.error);
  }

  async #read(): Promise<
    Pick<ScrapeLine, "error" | "malformed" | "dropped"> & { readonly values?: Map<string, number> }
  > {
    const { redact } = this.#options;
    try {
      const text = await this.#text();
      const wanted = (name: string): boolean => roleOf(name) !== undefined || this.#plan.others?.test(name) === true;
      const { samples, malformed, dropped, isMetrics } = parseMetricsText(text, wanted, MOST_SERIES);
      if (!isMetrics) return { error: "the response is not in the text format of Prometheus" };
      return {
        values: new Map(samples.map(({ series, value }) => [redact(series), value])),
        ...(malformed > 0 && { malformed }),
        ...(dropped > 0 && { dropped }),
      };
    } catch (error) {
      return { error: redact(reasonOf(error)).slice(0, 300) };
    }
  }

  /** @throws Error when there is no complete response with the status 200 within the bounds */
  async #text(): Promise<string> {
    const withinMs = Math.min(LONGEST_MS, Math.max(this.#plan.intervalMs, 1_000));
    const ended = this.#ended.signal;
    // It bounds the reading of the body too; a response that is there by then is not ended by it.
    const { limit = timeLimit } = this.#options;
    const { signal } = limit(withinMs, ended);
    const { statusCode, body } = await this.#options.connections
      .request(this.#source.url, {
        method: "GET",
        headers: this.#headers,
        signal,
      })
      .catch((error: unknown) => {
        throw signal.aborted && !ended.aborted ? new Error(`no response within ${withinMs} ms`) : error;
      });
    if (statusCode !== 200) {
      body.on("error", () => undefined).destroy();
      throw new Error(`the status is ${statusCode}, not 200`);
    }
    const text = await boundedText(body, MOST_BYTES);
    if (text !== undefined) return text;
    throw new Error(`the response has more than ${MOST_BYTES / 1024 / 1024} MiB`);
  }

  #save(line: ScrapeLine): void {
    if (this.#unsaved) return;
    try {
      appendToOwnFile(this.#options.file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      this.#unsaved = true;
      this.#options.say(
        `Cannot write ${this.#options.file}: ${reasonOf(error)}. The load goes on without these metrics.`,
      );
    }
  }

  #sayOnce(reason: string): void {
    if (this.#failed) return;
    this.#failed = true;
    const { name, url } = this.#source;
    this.#options.say(
      `Cannot read the target's metrics from ${url}${url.includes(name) ? "" : ` (${name})`}: ${reason}. The load does not depend on them; further attempts are made.`,
    );
  }
}

/** The key and the user's headers go to the target's own address and to no other. */
function headersFor(url: string, { target, apiKey, headers, withoutHeader }: Connection): Record<string, string> {
  const isTarget = new URL(url).origin === new URL(target).origin;
  return {
    ...withOwnHeaders({ headers: { accept: METRICS_TEXT, ...(isTarget && headers) }, withoutHeader }),
    ...(isTarget && apiKey !== undefined && { authorization: bearer(apiKey) }),
  };
}

const METRICS_TEXT = "text/plain;version=0.0.4";
