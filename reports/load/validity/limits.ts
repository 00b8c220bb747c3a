import { WAKE_PER_MILLE } from "../metrics/client-health.ts";

/** Every threshold of validity. Milliseconds, shares. */
export const LIMITS = {
  /**
   * The p99 of schedule_lag may not exceed the larger of these two. With too few arrivals for a p99, the highest
   * percentile that they allow is compared: one late start among eighty is not a p99.
   */
  lagMs: 10,
  lagShareOfInterArrival: 0.05,
  /** A second in which the load generator used more of its CPUs than `cpuShare` is a busy one… */
  cpuShare: 0.85,
  /** …and more busy seconds than this share of the measured ones limit the run. */
  busySecondsShare: 0.2,
  /** Pause of the garbage collector per measured second. */
  gcPauseMsPerS: 10,
  /** A second in which garbage collection took more of the CPUs than this is a collecting one… */
  gcCpuShare: 0.2,
  /** …and more of them than this share of the measured ones limit the run. */
  collectingSecondsShare: 0.2,
  /**
   * The p90 of the wake-up latency. A load generator that was late for a tenth of the time did not get the CPUs that it needs, so
   * that the load was not the one that was asked for. What is late more rarely is an error of the times, and stated as such.
   */
  wakeMs: 10,
  wakePerMille: WAKE_PER_MILLE,
  /** …and of the lag its p99. */
  lagPerMille: 990,
  /** No fewer late seconds than these… */
  lateSeconds: 2,
  /**
   * …and as many as this share of the measured ones limit the run, whatever the percentile that its number of samples allows: in
   * a short run a p95 hides what a p99 would show.
   */
  lateSecondsShare: 7 / 8,
  /**
   * A queue that grows; see `saturation.ts`. Of runs with up to 90% of the load that the target can bear, at most 2 in 100 are
   * taken for one, in simulations of queues with 1 to 16 servers.
   */
  saturation: {
    /** Blocks of the measured window, and arrivals that each must have. */
    blocks: 8,
    blockArrivals: 10,
    /** The quantile of a block that is compared. */
    quartile: 0.25,
    /** Share of all pairs of blocks of which the later one is slower. */
    inOrder: 0.93,
    /** Seconds by which the latency must rise per second: the target serves 1% less than is due. */
    slopePerS: 0.01,
    /** By which it must rise over the window, as a multiple of the median of the first block. */
    growth: 1,
  },
  /** Whether the target was equally fast over the measured window; see `steadiness.ts`. */
  steadiness: {
    /** Shorter measured windows are not looked at. */
    seconds: 10,
    /** Blocks of the measured window, and latencies that each must have. */
    blocks: 24,
    blockLatencies: 5,
    /** How many standard errors a change must have. */
    certain: 8.5,
    /** How much larger the larger median must be. */
    ratio: 1.1,
    /** Blocks at the end that must be steady: a third of the window. */
    leastBlocks: 8,
  },
  /** Requests that begin together; see `herd.ts`. */
  herd: {
    /** The time in which they begin. */
    withinMs: 100,
    /** How many they are at least… */
    least: 100,
    /** …and as which share of all that begin in that second. */
    share: 0.5,
  },
  /** A longer wait for a slot is reported. */
  slotWaitMs: 1,
} as const;
