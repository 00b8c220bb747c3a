/**
 * A load by a k6 without the extension. Our shim tells what happens on k6's console, which goes to a file; here that is
 * followed while it grows, and made into the files that a k6 with the extension writes itself.
 */

import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { ClientLine } from "../../../formats/client.ts";
import { FILES } from "../../../formats/file-names.ts";
import type { Ticks } from "../../../scenarios/stock/arrival-ticks.ts";
import { MARK_VARIABLE } from "../../../scenarios/stock/console-facts.ts";
import { reasonOf } from "../../../settings/usage-error.ts";
import { Tail } from "../../cli/file-lines.ts";
import type { Urgency } from "../../cli/interrupt.ts";
import type { Cancel } from "../../tasks/clean-up.ts";
import { type K6End, type K6Process, type K6Start, type LoadClient, type OutputMode, startK6 } from "../k6-process.ts";
import { consoleLine, isFact, remarkOf } from "./console-line.ts";
import { guard } from "./orphan-guard.ts";
import { usageOf } from "./process-usage.ts";
import { Ledger } from "./record-builder.ts";
import { ResultFiles } from "./result-files.ts";

/** What must be known of a load to count what k6 leaves out. */
export interface StockPlan {
  /** Arrivals of an open loop; absent in a closed one. */
  readonly ticks: Ticks | undefined;
  readonly inFlightLimit: number;
  readonly caFile: string | undefined;
}

const LOOK_EVERY_MS = 250;

/** Starts k6 and follows it. */
export function startStockK6(version: string, start: K6Start, plan: StockPlan): LoadClient {
  const mark = randomUUID();
  const console = join(start.folder, FILES.console);
  // Go's own variable for certificates: k6 has no setting.
  const trust: Record<string, string> = plan.caFile === undefined ? {} : { SSL_CERT_FILE: plan.caFile };
  const variables = { ...start.variables, ...trust, [MARK_VARIABLE]: mark };
  const k6 = startK6({ ...start, variables }, dialect(console));
  const follower = new Follower(k6, start.folder, console, mark, `v${version} (stock)`, plan);
  const unguard = guard(k6.pid);
  const ended = k6.ended.then(async (end) => {
    unguard();
    await follower.drain(end);
    return end;
  });
  return {
    stop: (urgency: Urgency) => {
      follower.stopped();
      k6.stop(urgency);
    },
    ended,
    finish: (cancels) => follower.finish(cancels),
  };
}

/** JSON keeps what is said on one line, and its level; our facts are then JSON in JSON. */
const dialect = (file: string): OutputMode => ({
  args: ["--log-format=json", "--console-output", file],
  read: (line) => {
    const { level, text } = remarkOf(line);
    // Every failed request; the records tell more of it.
    if (level === "warning" && text.startsWith("Request Failed: ")) return {};
    return { kept: `${level}: ${text}`, ...((level === "error" || level === "fatal") && { error: text }) };
  },
});

class Follower {
  readonly #k6: K6Process;
  readonly #console: string;
  readonly #tail: Tail;
  readonly #mark: string;
  readonly #plan: StockPlan;
  readonly #files: ResultFiles;
  readonly #ledger: Ledger;
  readonly #usage: ReturnType<typeof usageOf>;
  readonly #loop: Promise<void>;
  #running = true;
  #seconds = 0;
  #stoppedMs: number | undefined;
  #end: K6End | undefined;
  #broken: string | undefined;

  constructor(k6: K6Process, folder: string, console: string, mark: string, version: string, plan: StockPlan) {
    this.#k6 = k6;
    this.#console = console;
    this.#tail = new Tail(console);
    this.#mark = mark;
    this.#plan = plan;
    this.#files = new ResultFiles(folder);
    this.#ledger = new Ledger(version, (file, line) => this.#files.add(file, line));
    this.#usage = usageOf(k6.pid);
    this.#loop = this.#follow();
  }

  /** Notes that the run is asked to end; arrivals that are due from then on were never offered. */
  stopped(): void {
    this.#stoppedMs ??= Date.now();
  }

  /** Reads what is left after k6 has ended. */
  async drain(end: K6End): Promise<void> {
    this.#end = end;
    if (end.code !== 0 && end.code !== 99) this.stopped();
    this.#running = false;
    await this.#loop;
    this.#ledger.cutOff();
    this.#files.flush();
  }

  finish(cancels: readonly Cancel[]): void {
    for (const cancel of cancels) this.#ledger.cleanedUp(cancel);
    if (this.#ledger.startedAt !== undefined) this.#files.add("client", this.#finalLine());
    this.#files.close();
    this.#k6.closeLog();
    if (this.#broken === undefined) rmSync(this.#console, { force: true });
  }

  async #follow(): Promise<void> {
    while (this.#running) {
      await this.#look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    await this.#look();
  }

  async #look(): Promise<void> {
    try {
      for (const line of await this.#tail.next()) this.#take(line);
      this.#tellSecond();
      this.#files.flush();
    } catch (error) {
      this.#broken ??= reasonOf(error);
    }
  }

  #take(line: string): void {
    const read = consoleLine(line, this.#mark);
    if (isFact(read)) this.#ledger.take(read);
    else this.#k6.log(`console ${read.level}: ${read.text}`);
  }

  /** A line of the client's health, once a second. */
  #tellSecond(): void {
    const t = this.#elapsed();
    if (t === undefined || Math.floor(t) <= this.#seconds) return;
    this.#seconds = Math.floor(t);
    const counts = this.#ledger.counts();
    this.#files.add("client", { ...this.#health(t), ...counts, offered: counts.started });
  }

  #finalLine(): Readonly<Record<string, unknown>> {
    const code = this.#end?.code;
    const stopped =
      this.#stoppedMs === undefined
        ? {}
        : { stopped: code === null ? "k6 was killed" : `k6 was stopped before its end (exit code ${code})` };
    return {
      ...this.#health(this.#elapsed() ?? 0),
      ...this.#ledger.counts(),
      offered: this.#ledger.offered(this.#plan.ticks, this.#stoppedMs),
      final: true,
      records: this.#ledger.records,
      ...(this.#broken !== undefined && { error: this.#broken }),
      ...stopped,
    };
  }

  #health(t: number): Partial<ClientLine> {
    return {
      t: Math.round(t * 1_000) / 1_000,
      ...this.#usage(),
      in_flight_limit: this.#plan.inFlightLimit,
      ...(this.#ledger.scheduleStart !== undefined && { schedule_started_at: this.#ledger.scheduleStart }),
    };
  }

  /** Seconds since the run began. */
  #elapsed(): number | undefined {
    const { startedAt } = this.#ledger;
    return startedAt === undefined ? undefined : (Date.now() - Date.parse(startedAt)) / 1_000;
  }
}
