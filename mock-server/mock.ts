/** Starts the bundled mock of the Model Inference Service. */

import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import type { GroundTruthRow } from "../formats/ground-truth.ts";
import { UsageError } from "../settings/usage-error.ts";
import { randomOf } from "./base/seeded-random.ts";
import { makeAuthority, saveCertificate } from "./http/authority.ts";
import { openGateway } from "./http/gateway.ts";
import { serve } from "./http/serve.ts";
import { Counters } from "./service/counters.ts";
import { GroundTruthLog } from "./service/ground-truth-log.ts";
import type { MockContext } from "./service/mock-context.ts";
import { type MockState, reset, state } from "./service/mock-state.ts";
import { TaskStore, type TaskView } from "./service/task-store.ts";
import { Batch } from "./timing/batch.ts";
import { type CapacityOptions, capacityOf, saturationLine } from "./timing/capacity.ts";
import { Lateness, type LatenessSummary } from "./timing/lateness.ts";
import { Scheduler } from "./timing/scheduler.ts";
import { taskClock } from "./timing/task-clock.ts";
import { DEFAULT_TIMING, type TimingOverrides, timingOf } from "./timing/timings.ts";
import { ActiveVariants } from "./variants/active-variants.ts";
import { DEFAULT_BEHAVIOUR, permittedNamed } from "./variants/all-variants.ts";
import { activate } from "./variants/fault-conditions.ts";

export interface MockOptions extends TimingOverrides {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** The address to listen on; 127.0.0.1 when absent. */
  readonly host?: string;
  readonly timing?: string;
  /** The capacity model; without slots, any number of chats run at once and none slows another. */
  readonly capacity?: CapacityOptions;
  /** Serves TLS too, with a certificate for `localhost` from a CA that is made for this mock. */
  readonly tls?: boolean;
  readonly behaviour?: string;
  /** Names of faults, each with an optional condition such as `@first:3`. */
  readonly faults?: readonly string[];
  readonly seed?: number;
  /** File that the ground truth is appended to, one JSON object per line. */
  readonly groundTruthFile?: string;
  /** The accepted keys; any key when absent. */
  readonly apiKeys?: readonly string[];
  /** Starts with the clock of the video tasks held. */
  readonly heldClock?: boolean;
  /** Serves `/metrics` in the text format of Prometheus. */
  readonly metrics?: boolean;
  /** How many rows of the ground truth are kept in memory. */
  readonly groundTruthRows?: number;
  /** How many video tasks are kept; only ended ones are removed. */
  readonly taskCap?: number;
}

export interface Mock {
  /** Base address, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** PEM file of the CA to trust; only with TLS. */
  readonly caFile?: string;
  /** The closed form of the capacity's saturation rate, for prompts of 100 tokens; only with a capacity. */
  readonly saturation?: string;
  /** Ends open responses and closes the ground-truth file; a second call does nothing. */
  stop(): Promise<void>;
  groundTruth(): GroundTruthRow[];
  tasks(): TaskView[];
  state(): MockState;
  /** How late chunks were written since the last call. */
  recentLateness(): LatenessSummary;
  /** Moves the clock of the video tasks forward. */
  advance(ms: number): void;
  holdClock(): void;
  runClock(): void;
  /** Replaces the faults that are on. */
  setFaults(names: readonly string[]): void;
  /** Clears tasks, ground truth and counts, and turns every fault off. */
  reset(): void;
}

const LOOPBACK = "127.0.0.1";
const GROUND_TRUTH_ROWS = 20_000;
const TASK_CAP = 10_000;
/** Length of the prompt in the printed saturation rate; about 75 words of English. */
const PROMPT_TOKENS = 100;
const DRAWS = 4096;

/**
 * Starts a mock; resolves once it listens.
 * @throws UsageError for invalid options: a port in use, an unknown timing, behaviour or fault
 */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  keepToOneCore();
  const host = options.host ?? LOOPBACK;
  const port = checkedPort(options.port ?? 0);
  const context = await makeContext(options);
  const authority = options.tls === true ? await makeAuthority() : undefined;
  const gateway = await openGateway(
    host,
    port,
    (incoming, writer) => serve(context, incoming, writer),
    authority,
  ).catch(async (cause: unknown) => {
    await context.groundTruth.close();
    throw cause;
  });
  // Written last, so that a start that fails or is ended leaves nothing.
  const certificate = authority && (await saveCertificate(authority.cert));
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await gateway.stop();
    context.scheduler.stop();
    await certificate?.remove();
    await context.groundTruth.close();
  };
  return {
    url: `${authority === undefined ? `http://${reachable(host)}` : `https://${certified(host)}`}:${gateway.port}`,
    port: gateway.port,
    ...(certificate && { caFile: certificate.path }),
    ...(context.batch && { saturation: saturationLine(context.batch.capacity, PROMPT_TOKENS, meanTokens(context)) }),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
    groundTruth: () => context.groundTruth.rows(),
    tasks: () => context.tasks.views(context.variants.standingRules("video.poll").tasks),
    state: () => state(context),
    recentLateness: () => context.lateness.recent(),
    advance: (ms) => context.clock.advance(ms),
    holdClock: () => context.clock.hold(),
    runClock: () => context.clock.run(),
    setFaults: (names) => context.variants.set(activate(names)),
    reset: () => reset(context),
  };
}

async function makeContext(options: MockOptions): Promise<MockContext> {
  const timing = timingOf(options.timing ?? DEFAULT_TIMING, options);
  const capacity = capacityOf(options.capacity ?? {});
  if (capacity !== undefined && (options.ttftMs ?? options.itlMs) !== undefined) {
    throw new UsageError(
      "Cannot start the mock: with --slots, its prefill and step take the place of --ttft and --itl.",
    );
  }
  const behaviour = permittedNamed(options.behaviour ?? DEFAULT_BEHAVIOUR);
  const variants = new ActiveVariants(behaviour, activate(options.faults ?? []));
  const clock = taskClock(options.heldClock ?? false);
  return {
    seed: options.seed ?? 1,
    startedMs: performance.now(),
    timing,
    batch: capacity && new Batch(capacity),
    apiKeys: options.apiKeys,
    variants,
    clock,
    tasks: new TaskStore(clock, options.taskCap ?? TASK_CAP),
    scheduler: new Scheduler(),
    groundTruth: await GroundTruthLog.open(options.groundTruthRows ?? GROUND_TRUTH_ROWS, options.groundTruthFile),
    counters: new Counters(),
    lateness: new Lateness(),
    metrics: options.metrics ?? false,
  };
}

function checkedPort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`Cannot start the mock on port ${port}: a port is a whole number from 0 to 65535.`);
}

/** The host that a client connects to: a listener on every interface is reached through loopback. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return LOOPBACK;
  return host.includes(":") ? `[${host}]` : host;
}

/** The host in a certificate: those of mockttp contain host names only, not addresses. */
const certified = (host: string): string =>
  ["localhost", LOOPBACK].includes(reachable(host)) ? "localhost" : reachable(host);

/** Mean tokens of a reply, from many draws if it is a distribution. */
function meanTokens({ timing, seed }: MockContext): number {
  const random = randomOf(seed, "mean");
  const sum = Array.from({ length: DRAWS }, () => Math.max(1, Math.round(timing.outputTokens(random)))).reduce(
    (a, b) => a + b,
  );
  return Math.round(sum / DRAWS);
}

/** Turns V8's concurrent marking off on a machine with one core: its threads would occupy the only core for longer than a chunk may be late. */
function keepToOneCore(): void {
  if (availableParallelism() === 1) setFlagsFromString("--no-concurrent-marking");
}
