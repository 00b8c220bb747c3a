/**
 * A queueing simulation of an open loop: arrivals wait, first come first served, until fewer than the maximum are in
 * flight, and then at the target until one of its servers is free. It is run until everything has been served, so that it
 * knows what a load that ends earlier cannot know. All times in milliseconds from the start of the schedule.
 */

export interface Job {
  readonly due: number;
  /** How long a server works on it. */
  readonly service: number;
}

export interface Stations {
  /** Arrivals that can be in progress at once. */
  readonly inFlight: number;
  /** Those of them that the target works on at once. */
  readonly servers: number;
}

export interface Course {
  readonly due: number;
  /** When the request is sent. */
  readonly sent: number;
  /** When a server begins with it. */
  readonly begun: number;
  readonly end: number;
}

/** Serves jobs in the order in which they are due. */
export function simulateQueue(jobs: readonly Job[], { inFlight, servers }: Stations): Course[] {
  const slotFree = new Array<number>(inFlight).fill(0);
  const serverFree = new Array<number>(servers).fill(0);
  return jobs.map(({ due, service }) => {
    const slot = firstFree(slotFree);
    const server = firstFree(serverFree);
    const sent = Math.max(due, slotFree[slot] ?? 0);
    const begun = Math.max(sent, serverFree[server] ?? 0);
    const end = begun + service;
    slotFree[slot] = end;
    serverFree[server] = end;
    return { due, sent, begun, end };
  });
}

const firstFree = (free: readonly number[]): number => free.indexOf(Math.min(...free));
