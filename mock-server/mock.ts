/** Starts the bundled mock of the Model Inference Service. */

import { UsageError } from "../settings/usage-error.ts";
import { DEFAULT_BEHAVIOUR, loadBehaviours, loadFaults, pick } from "./catalogue.ts";
import { taskClock } from "./clock.ts";
import { Counters } from "./counters.ts";
import { openGateway } from "./gateway.ts";
import { Lateness } from "./lateness.ts";
import { Ledger, type LedgerRow } from "./ledger.ts";
import { Scheduler } from "./scheduler.ts";
import { serve } from "./serve.ts";
import { type MockState, reset, state } from "./state.ts";
import { TaskStore, type TaskView } from "./tasks.ts";
import { DEFAULT_TIMING, type TimingOverrides, timingOf } from "./timings.ts";
import { Variations } from "./variations.ts";
import { activate } from "./when.ts";
import type { World } from "./world.ts";

export interface MockOptions extends TimingOverrides {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** The address to listen on; 127.0.0.1 when absent. */
  readonly host?: string;
  readonly timing?: string;
  readonly behaviour?: string;
  /** Names of faults, each with an optional condition such as `@first:3`. */
  readonly faults?: readonly string[];
  readonly seed?: number;
  /** Where the ledger is appended to, one JSON object a line. */
  readonly ledgerFile?: string;
  /** The only keys that are accepted; any key when absent. */
  readonly apiKeys?: readonly string[];
  /** Starts with the clock of the video tasks held. */
  readonly heldClock?: boolean;
  /** How many ledger rows are kept in memory. */
  readonly ledgerRows?: number;
  /** How many video tasks are kept; only ended ones are forgotten. */
  readonly taskCap?: number;
}

export interface Mock {
  /** Base address, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Ends open answers and closes the ledger; a second call does nothing. */
  stop(): Promise<void>;
  ledger(): LedgerRow[];
  tasks(): TaskView[];
  state(): MockState;
  /** Moves the clock of the video tasks forward. */
  advance(ms: number): void;
  holdClock(): void;
  runClock(): void;
  /** Replaces the faults that are on. */
  setFaults(names: readonly string[]): void;
  /** Forgets tasks, ledger rows and counts, and turns every fault off. */
  reset(): void;
}

const LOOPBACK = "127.0.0.1";
const LEDGER_ROWS = 20_000;
const TASK_CAP = 10_000;

/**
 * Starts a mock; resolves once it listens.
 * @throws UsageError for options that cannot be: a port in use, an unknown timing, behaviour or fault.
 */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const host = options.host ?? LOOPBACK;
  const port = checkedPort(options.port ?? 0);
  const world = await makeWorld(options);
  const gateway = await openGateway(host, port, (incoming, res) => serve(world, incoming, res)).catch(
    async (cause: unknown) => {
      await world.ledger.close();
      throw cause;
    },
  );
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await gateway.stop();
    world.scheduler.stop();
    await world.ledger.close();
  };
  return {
    url: `http://${reachable(host)}:${gateway.port}`,
    port: gateway.port,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
    ledger: () => world.ledger.rows(),
    tasks: () => world.tasks.views(world.variations.standingRules("video.poll").tasks),
    state: () => state(world),
    advance: (ms) => world.clock.advance(ms),
    holdClock: () => world.clock.hold(),
    runClock: () => world.clock.run(),
    setFaults: (names) => world.variations.set(activate(names, world.knownFaults)),
    reset: () => reset(world),
  };
}

async function makeWorld(options: MockOptions): Promise<World> {
  const timing = timingOf(options.timing ?? DEFAULT_TIMING, options);
  const [behaviours, knownFaults] = await Promise.all([loadBehaviours(), loadFaults()]);
  const [behaviour] = pick("behaviour", [options.behaviour ?? DEFAULT_BEHAVIOUR], behaviours);
  if (behaviour === undefined) throw new Error("Cannot start the mock: its behaviours are missing. Install it again.");
  const variations = new Variations(behaviour, activate(options.faults ?? [], knownFaults));
  const clock = taskClock(options.heldClock ?? false);
  return {
    seed: options.seed ?? 1,
    startedMs: performance.now(),
    timing,
    apiKeys: options.apiKeys,
    knownFaults,
    variations,
    clock,
    tasks: new TaskStore(clock, options.taskCap ?? TASK_CAP),
    scheduler: new Scheduler(),
    ledger: await Ledger.open(options.ledgerRows ?? LEDGER_ROWS, options.ledgerFile),
    counters: new Counters(),
    lateness: new Lateness(),
  };
}

function checkedPort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`Cannot start the mock on port ${port}: a port is a whole number from 0 to 65535.`);
}

/** The host as a client writes it: a listener on every interface is reached through loopback. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return LOOPBACK;
  return host.includes(":") ? `[${host}]` : host;
}
