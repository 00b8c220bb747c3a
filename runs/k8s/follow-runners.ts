/** The live lines of the runners of a load, read in their pods, for conditions that end the load of all of them. */

import PQueue from "p-queue";
import { clientLine } from "../../formats/client.ts";
import { FILES } from "../../formats/file-names.ts";
import type { Stop } from "../../formats/stop.ts";
import { parseJson } from "../../lib/json.ts";
import { StopConditions } from "../../reports/load/live/stop-conditions.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { budgetsOf } from "../load/budgets.ts";
import type { LoadPlan } from "../load/plan-load.ts";
import { evaluateLines } from "../views/run-database.ts";
import { type ClusterPart, type ClusterState, isRunner } from "./cluster-state.ts";
import type { Kubectl } from "./kubectl.ts";
import { RESULTS_FOLDER } from "./manifests.ts";

/** Runners that are followed, at most: each look is a call of the cluster's API server for each of them. */
const MOST_RUNNERS_FOLLOWED = 50;

/** Looks that are under way at the same time. */
const CONCURRENT = 8;

export class RunnerFollower {
  readonly #kubectl: Kubectl;
  readonly #conditions: StopConditions;
  /** Bytes of whole lines that were read, by the pod and the file. */
  readonly #read = new Map<string, number>();

  constructor(kubectl: Kubectl, conditions: StopConditions) {
    this.#kubectl = kubectl;
    this.#conditions = conditions;
  }

  /** What the runners wrote since the last look; returns why the load should end, undefined when it should go on. */
  async look({ parts }: ClusterState): Promise<Stop | undefined> {
    const running = parts.filter((part) => isRunner(part) && part.state === "running");
    const queue = new PQueue({ concurrency: CONCURRENT });
    const added = await queue.addAll(running.map((part) => () => this.#newLines(part)));
    for (const { number, records } of added) for (const line of records) this.#conditions.addRecord(line, number);
    for (const { number, health } of added) {
      for (const line of health) {
        const parsed = clientLine.safeParse(parseJson(line));
        if (!parsed.success || parsed.data.final === true) continue;
        const stop = await this.#conditions.look(parsed.data, number);
        if (stop !== undefined) return stop;
      }
    }
    return undefined;
  }

  /** Health is read first: everything that it says has ended is in the records that are read after it. */
  async #newLines({ role, name }: ClusterPart) {
    const health = await this.#linesOf(name, FILES.client);
    const records = this.#conditions.needsNoRecords ? [] : await this.#linesOf(name, FILES.records);
    return { number: Number(role), health, records };
  }

  /** The whole lines that were added to a file of a runner; none where it cannot be read, which is tried again. */
  async #linesOf(pod: string, file: string): Promise<readonly string[]> {
    const key = `${pod} ${file}`;
    const from = this.#read.get(key) ?? 0;
    const call = ["exec", pod, "--", "tail", "-c", `+${from + 1}`, `${RESULTS_FOLDER}/${file}`];
    const { code, stdout } = await this.#kubectl(call);
    const whole = code === 0 ? stdout.slice(0, stdout.lastIndexOf("\n") + 1) : "";
    this.#read.set(key, from + Buffer.byteLength(whole));
    return whole.split("\n").filter((line) => line !== "");
  }
}

/**
 * What follows the runners of a load that has conditions; undefined for one without.
 * @throws UsageError for conditions that cannot be followed
 */
export function followerOf(
  kubectl: Kubectl,
  plan: Pick<LoadPlan, "scenario" | "settings">,
  runners: number,
): { readonly follower: RunnerFollower | undefined; readonly notice?: string } {
  const { settings } = plan;
  const { abortOn, abortWhenGone, warmup } = settings;
  const conditions = new StopConditions({
    abortOn,
    abortWhenGone,
    warmup,
    objectives: objectivesOf(settings),
    evaluate: evaluateLines,
    budgets: budgetsOf(plan),
  });
  if (conditions.areNone) return { follower: undefined };
  if (runners <= MOST_RUNNERS_FOLLOWED) return { follower: new RunnerFollower(kubectl, conditions) };
  const why = `each look is a call of the API server for each runner, and there are ${runners} (${MOST_RUNNERS_FOLLOWED} at most)`;
  if (!conditions.needsNoRecords) {
    const name = abortOn === undefined ? "--max-cost and --max-tokens-total" : "--abort-on";
    throw new UsageError(`Cannot follow ${name}: ${why}. Use fewer runners on larger nodes, or leave it out.`);
  }
  return { follower: undefined, notice: `A target that stops responding does not end this load: ${why}` };
}
