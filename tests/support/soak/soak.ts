/** A load that goes on, with the mock as its target, while all three processes are looked at several times per second. */

import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ended, newFolder, startAssay } from "../commands/assay-process.ts";
import { k6Writing } from "../commands/running-processes.ts";
import { type ProcessSample, sampleProcess } from "./process-sample.ts";
import { grows, type Point, type Slope, slopeOf } from "./slopes.ts";

const EVERY_MS = 250;

/** Descriptors of a process in addition to the connections of the load. */
const OTHER_DESCRIPTORS = 32;

/** What may grow by how much per minute. A growth beyond it that is certain fails a soak. */
const BOUNDS: Readonly<Record<keyof ProcessSample, number>> = { memoryMb: 1, descriptors: 0.5, sockets: 0.5 };

/** What a soak loads the mock with. */
export interface SoakLoad {
  readonly inWords: string;
  readonly mock: readonly string[];
  /** Flags of `assay load`, and what they load. */
  readonly flags: readonly string[];
  /** Connections that it may open: each user and each slot keeps one. Descriptors and sockets may grow up to them. */
  readonly connections: number;
}

/** Chats, embeddings and video tasks. @param rate arrivals per second */
export const mixedLoad = (rate: number): SoakLoad => ({
  inWords: `${rate} arrivals/s`,
  mock: ["--timing", "fast", "--work", "1s"],
  flags: [
    ...["mixed", "--rate", String(rate), "--max-in-flight", "60"],
    ...["--mix", "chat-stream=6,chat=2,embeddings=1,video=1", "--poll-interval", "500ms"],
  ],
  connections: 60,
});

/** Conversations. @param streams how many go on at once */
export const conversations = (streams: number): SoakLoad => ({
  inWords: `${streams} streams of conversations`,
  mock: ["--timing", "typical"],
  flags: [
    ...["chat-stream", "--vus", String(streams), "--turns", "2..6", "--set", "think-time=lognormal:100ms,1"],
    ...["--input-tokens", "normal:200,50", "--max-tokens", "uniform:50,150"],
    ...["--set", "shared-prefix-tokens=200x4"],
  ],
  connections: streams,
});

const PROCESSES = ["k6", "assay", "mock"] as const;
export type SoakProcess = (typeof PROCESSES)[number];

/** One quantity of one process over the soak. */
export interface SoakSlope extends Slope {
  readonly process: SoakProcess;
  readonly quantity: keyof ProcessSample;
  readonly grows: boolean;
}

export interface Soak {
  readonly slopes: readonly SoakSlope[];
  /** What each process held at most. */
  readonly most: Readonly<Record<SoakProcess, ProcessSample>>;
  /** Of `assay load`. */
  readonly ended: Ended;
}

/**
 * Loads the mock.
 * @param onSample called with each sample and its time in seconds
 * @throws Error when a process does not start or ends before the load is over
 */
export async function soak(
  seconds: number,
  { mock: mockFlags, flags, connections }: SoakLoad,
  onSample: (s: number, samples: Readonly<Record<SoakProcess, ProcessSample>>) => void = () => undefined,
): Promise<Soak> {
  const folder = newFolder();
  const mock = startAssay(["mock", ...mockFlags]);
  try {
    const target = await mock.until(/ready (http:\/\/\S+)/);
    const load = startAssay([
      ...["load", ...flags, "--target", target, "--out", folder],
      ...["--warmup", "0", "--duration", `${seconds}s`],
    ]);
    await load.until(/p50 (\d+)/);
    const pids = { k6: k6Writing(folder), assay: pidOf(load), mock: pidOf(mock) };
    const taken = await follow(pids, load.ended, onSample);
    return { ...summaryOf(taken, connections), ended: await load.ended };
  } finally {
    mock.child.kill("SIGTERM");
    await mock.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

type Taken = readonly { readonly s: number; readonly samples: Readonly<Record<SoakProcess, ProcessSample>> }[];

/** Samples all processes until k6 has ended. */
async function follow(
  pids: Readonly<Record<SoakProcess, number>>,
  ended: Promise<Ended>,
  onSample: (s: number, samples: Readonly<Record<SoakProcess, ProcessSample>>) => void,
): Promise<Taken> {
  let over = false;
  void ended.then(() => (over = true));
  const startedMs = performance.now();
  const taken: Taken[number][] = [];
  while (!over) {
    const [k6, assay, mock] = PROCESSES.map((name) => sampleProcess(pids[name]));
    if (k6 === undefined || assay === undefined || mock === undefined) break;
    const s = (performance.now() - startedMs) / 1_000;
    const samples = { k6, assay, mock };
    taken.push({ s, samples });
    onSample(s, samples);
    await sleep(EVERY_MS);
  }
  return taken;
}

function summaryOf(taken: Taken, connections: number): Omit<Soak, "ended"> {
  const quantities = ["memoryMb", "descriptors", "sockets"] as const;
  const slopes = PROCESSES.flatMap((process) =>
    quantities.map((quantity) => {
      const points: Point[] = taken.map(({ s, samples }) => ({ s, value: samples[process][quantity] }));
      const slope = slopeOf(points);
      const upTo = quantity === "memoryMb" ? 0 : connections + OTHER_DESCRIPTORS;
      return { process, quantity, ...slope, grows: slope.last > upTo && grows(slope, BOUNDS[quantity]) };
    }),
  );
  const mostOf = (process: SoakProcess): ProcessSample => {
    const highest = (quantity: keyof ProcessSample): number =>
      taken.reduce((most, { samples }) => Math.max(most, samples[process][quantity]), 0);
    return { memoryMb: highest("memoryMb"), descriptors: highest("descriptors"), sockets: highest("sockets") };
  };
  return { slopes, most: { k6: mostOf("k6"), assay: mostOf("assay"), mock: mostOf("mock") } };
}

function pidOf({ child }: ReturnType<typeof startAssay>): number {
  if (child.pid === undefined) throw new Error("Cannot look at a process: it did not start.");
  return child.pid;
}
