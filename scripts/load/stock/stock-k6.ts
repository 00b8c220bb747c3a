/**
 * A load by a k6 without the extension. Our client within k6 writes facts to k6's log, which comes through a pipe; here
 * they are made into the files that a k6 with the extension writes itself.
 */

import { randomUUID } from "node:crypto";
import type { ClientLine } from "../../../formats/client.ts";
import { redactor } from "../../../lib/redact.ts";
import { steadyNow } from "../../../lib/steady-clock.ts";
import type { Ticks } from "../../../scenarios/process/arrival-ticks.ts";
import { MARK_VARIABLE } from "../../../scenarios/stock/console-facts.ts";
import { reasonOf } from "../../../settings/usage-error.ts";
import type { Cancel } from "../../tasks/cancel-leftovers.ts";
import { errorOfScript } from "../error-of-script.ts";
import { type K6End, type K6Process, type K6Start, type LoadClient, type OutputMode, startK6 } from "../k6-process.ts";
import { isOutput } from "../outputs/output-troubles.ts";
import { consoleLine, isFact } from "./console-line.ts";
import { guard } from "./orphan-guard.ts";
import { usageOf } from "./process-usage.ts";
import { RecordBuilder } from "./record-builder.ts";
import { ResultFiles, withoutSecrets } from "./result-files.ts";

/** What must be known of a load to count what k6 leaves out. */
export interface StockPlan {
  /** Arrivals of an open loop; absent in a closed one. */
  readonly ticks: Ticks | undefined;
  readonly inFlightLimit: number;
  readonly caFile: string | undefined;
}

const FLUSH_EVERY_MS = 250;

/** Starts k6 and follows it. */
export function startStockK6(version: string, start: K6Start, plan: StockPlan): LoadClient {
  const mark = randomUUID();
  const follower = new Follower(start, mark, `v${version} (stock)`, plan);
  // Go's own variable for certificates: k6 has no setting.
  const trust: Record<string, string> = plan.caFile === undefined ? {} : { SSL_CERT_FILE: plan.caFile };
  const k6 = startK6({ ...start, variables: { ...start.variables, ...trust, [MARK_VARIABLE]: mark } }, follower);
  const { folder, secrets } = start;
  const unguard = guard(k6.pid, k6.log, { folder, mark, secrets: [...secrets] });
  follower.follow(k6);
  const ended = k6.ended.then((end) => {
    unguard();
    follower.end(end);
    return end;
  });
  return {
    stop: (urgency) => {
      follower.stopped();
      k6.stop(urgency);
    },
    ended,
    openTasks: () => follower.openTasks,
    failure: () => follower.failure,
    finish: (cancels) => {
      follower.finish(cancels);
      k6.closeLog();
    },
  };
}

class Follower implements OutputMode {
  /** JSON keeps each message on one line, with its level; facts are then JSON in JSON. */
  readonly args = ["--log-format=json"];
  readonly #redact: (text: string) => string;
  readonly #mark: string;
  readonly #plan: StockPlan;
  readonly #files: ResultFiles;
  readonly #builder: RecordBuilder;
  #usage: ReturnType<typeof usageOf> = usageOf(undefined);
  #timer: NodeJS.Timeout | undefined;
  #seconds = 0;
  #stoppedMs: number | undefined;
  #exitCode: number | null | undefined;
  #broken: string | undefined;
  /** Why a file could not be written. */
  #failure: unknown;
  #k6: K6Process | undefined;

  constructor({ folder, secrets }: K6Start, mark: string, version: string, plan: StockPlan) {
    this.#redact = redactor(secrets, []).text;
    this.#mark = mark;
    this.#plan = plan;
    this.#files = new ResultFiles(folder);
    this.#builder = new RecordBuilder(version, (file, line) =>
      this.#saving(() => this.#files.add(file, withoutSecrets(line, this.#redact))),
    );
  }

  /** Ids of the video tasks that were not seen to end. */
  get openTasks(): readonly string[] {
    return this.#builder.openTasks;
  }

  /** Takes a line of k6's log; facts go into the records, the rest into the log. */
  readonly read = (line: string): ReturnType<OutputMode["read"]> => {
    try {
      const read = consoleLine(line, this.#mark, this.#redact);
      if (isFact(read)) {
        this.#builder.take(read);
        return {};
      }
      const { level, text, isConsole, output } = read;
      // Logged for every failed request; the records tell more of it.
      if (level === "warning" && text.startsWith("Request Failed: ")) return {};
      const isError = level === "error" || level === "fatal";
      const kept = `${isConsole ? "console " : ""}${level}: ${text}`;
      if (level === "error" && output !== undefined && isOutput(output))
        return { kept, trouble: { output, reason: text } };
      return { kept, ...(isError && { error: errorOfScript(text) }) };
    } catch (error) {
      this.#broken ??= reasonOf(error);
      return {};
    }
  };

  /** Why the files could not be written; undefined when they were. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Begins to watch a process and to write. */
  follow(k6: K6Process): void {
    this.#k6 = k6;
    this.#usage = usageOf(k6.pid);
    this.#timer = setInterval(() => this.#write(), FLUSH_EVERY_MS);
  }

  /** Records that the run is asked to end; arrivals that are due later do not count as offered. */
  stopped(): void {
    this.#stoppedMs ??= steadyNow();
  }

  /** Completes the records after k6 has ended. */
  end({ code }: K6End): void {
    clearInterval(this.#timer);
    this.#exitCode = code;
    if (code !== 0 && code !== 99) this.stopped();
    this.#builder.cutOff();
    this.#write();
  }

  finish(cancels: readonly Cancel[]): void {
    for (const cancel of cancels) this.#builder.cleanedUp(cancel);
    this.#saving(() => {
      if (this.#builder.startedAt !== undefined) this.#files.add("client", this.#finalLine());
      this.#files.close();
    });
  }

  #write(): void {
    this.#saving(() => {
      this.#addSecond();
      this.#files.flush();
    });
  }

  /** What cannot be written must not be measured: the run ends. */
  #saving(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (this.#failure !== undefined) return;
      this.#failure = error;
      this.stopped();
      this.#k6?.stop("gently");
    }
  }

  /** Adds a line on the health of k6, once per second. */
  #addSecond(): void {
    const t = this.#elapsed();
    if (t === undefined || Math.floor(t) <= this.#seconds) return;
    this.#seconds = Math.floor(t);
    const counts = this.#builder.counts();
    this.#files.add("client", { ...this.#health(t), ...counts, offered: counts.started });
  }

  #finalLine(): ClientLine {
    const code = this.#exitCode;
    const broken = this.#broken ?? (this.#failure === undefined ? undefined : reasonOf(this.#failure));
    const stopped = code === null ? "k6 was killed" : `k6 was stopped before its end (exit code ${code})`;
    return {
      ...this.#health(this.#elapsed() ?? 0),
      ...this.#builder.counts(),
      offered: this.#builder.offered(this.#plan.ticks, this.#stoppedMs),
      final: true,
      records: this.#builder.records,
      ...(broken !== undefined && { error: broken }),
      ...(this.#stoppedMs !== undefined && { stopped }),
    };
  }

  #health(t: number): Pick<ClientLine, "t" | "cpu" | "cpus" | "rss_mb" | "in_flight_limit" | "schedule_started_at"> {
    const { scheduleStart } = this.#builder;
    return {
      t: Math.round(t * 1_000) / 1_000,
      ...this.#usage(),
      in_flight_limit: this.#plan.inFlightLimit,
      ...(scheduleStart !== undefined && { schedule_started_at: scheduleStart }),
    };
  }

  /** Seconds since the run began. */
  #elapsed(): number | undefined {
    const { startedAt } = this.#builder;
    return startedAt === undefined ? undefined : (steadyNow() - Date.parse(startedAt)) / 1_000;
  }
}
