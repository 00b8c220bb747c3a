/** A k6 that measures, with what runs beside it until it has ended: its progress, the conditions that end it, a watchdog. */

import { join } from "node:path";
import { colouredProgress, type Progress } from "../../cli/console.mjs";
import type { Urgency } from "../../cli/interrupt.ts";
import { FILES } from "../../formats/file-names.ts";
import { liveFrame } from "../../reports/load/live/live-frame.ts";
import { LiveLoad } from "../../reports/load/live/live-lines.ts";
import { formatDuration } from "../../settings/units.ts";
import { type Allowances, EndWatchdog, latestEndMs } from "./end-watchdog.ts";
import { type Followed, followLines } from "./follow-lines.ts";
import type { K6End, K6Process } from "./k6-process.ts";
import type { LoadPlan } from "./plan-load.ts";
import { interruptNotice, stopNotice } from "./platform-limits.ts";
import { watchForStop } from "./watch-for-stop.ts";

/** How long an output may take for what it writes at the end of a run. */
const LAST_WRITE_MS = 15_000;

/** What runs as long as k6 does. */
interface Companion {
  stop(): Promise<void>;
}

interface RunOptions {
  /** An empty result folder, to which k6 writes. */
  readonly folder: string;
  readonly progress: Progress;
  /** For how long k6 may take beyond its settings, before it is ended. */
  readonly allowances: Allowances | undefined;
  /** What was started before it. */
  readonly beside: readonly Companion[];
}

export class RunningLoad {
  readonly #client: K6Process;
  readonly #progress: Progress;
  readonly #watchdog: EndWatchdog;
  readonly #beside: readonly Companion[];
  readonly #leave = new AbortController();
  #interrupted = false;
  #hasEnded = false;

  /** @param client has just been started */
  constructor(client: K6Process, plan: LoadPlan, { folder, progress, allowances, beside }: RunOptions) {
    this.#client = client;
    this.#progress = progress;
    const { settings, outputs } = plan;
    this.#watchdog = new EndWatchdog({ ask: this.#endOverdue, kill: () => client.stop("now") }, allowances);
    this.#watchdog.within(latestEndMs(settings, Date.now(), allowances) + outputs.length * LAST_WRITE_MS);
    const watched = watchForStop(folder, plan, {
      isRunning: () => !this.#interrupted && !this.#hasEnded,
      end: (stop) => this.#stop("gently", stopNotice(stop)),
    });
    this.#beside = [...beside, followProgress(folder, settings, progress.show, watched.states), watched];
  }

  /** Whether its user or one of its conditions ended it. */
  get wasInterrupted(): boolean {
    return this.#interrupted;
  }

  /** Whether it did not end by itself when it should have. */
  get wasOverdue(): boolean {
    return this.#watchdog.hasEnded && !this.#interrupted;
  }

  /** Aborts when the user interrupts what comes after k6. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  /** Takes an interrupt of the user: it ends k6, or what comes after it. */
  readonly interrupt = (urgency: Urgency): void => {
    if (this.#hasEnded) this.#leave.abort();
    else this.#stop(urgency, interruptNotice(urgency));
  };

  /** Resolves when k6 has ended, and all that ran beside it. */
  async ended(): Promise<K6End> {
    const end = await this.#client.ended;
    this.#hasEnded = true;
    this.#watchdog.stop();
    await Promise.all(this.#beside.map((each) => each.stop()));
    this.#progress.end();
    return end;
  }

  #stop(urgency: Urgency, notice: string): void {
    this.#interrupted = true;
    this.#progress.say(notice);
    this.#client.stop(urgency);
    this.#watchdog.interrupted();
  }

  readonly #endOverdue = (passedMs: number): void => {
    const passed = formatDuration(Math.round(passedMs / 1_000) * 1_000);
    this.#progress.say(`k6 is still running ${passed} after its start, when it should have ended. Ending it.`);
    this.#client.stop("gently");
  };
}

/**
 * Follows the files of a load in a folder and shows their state each time that k6 writes one, once per second.
 * @param ends what may end the load, in words
 */
function followProgress(
  folder: string,
  plan: { readonly warmup: number; readonly duration: number },
  show: Progress["show"],
  ends: () => readonly string[],
): Followed {
  const live = new LiveLoad((plan.warmup + plan.duration) / 1_000);
  return followLines([join(folder, FILES.client), join(folder, FILES.records)], ([health = [], records = []]) => {
    live.add(health, records);
    const state = live.state();
    if (health.length === 0 || state === undefined) return;
    show(live.lines(), (size) => liveFrame(state, ends(), { ...size, colour: colouredProgress() }));
  });
}
