/** What a load of many concurrent streams takes, computed from what was measured on one machine. Pure. */

import { MEASURED_BYTES } from "../../runs/k8s/claim-size.ts";
import { MOST_RUNNERS } from "../../runs/k8s/cluster-checks.ts";
import { HEAD_ROOM, runnerSize } from "../../runs/k8s/runner-size.ts";

/** What was measured, and by which command. */
export const MEASURED = {
  streams: { value: 800, from: "`npm run bench`: gap error p99 below 1 ms on one core" },
  cpus: { value: 2, from: "the machine of that bench: a core for the load generator, one for the server" },
  chunksPerS: { value: 50, from: "`npm run bench`: chunks per second of each stream" },
  cpuPerChunkUs: { value: 14.1, from: "`npm run bench`, at 800 streams" },
  tlsUsPerChunk: {
    value: 3.3,
    from: "a client in Go reading 200 connections of 50 chunks/s, once, on a busy machine: 8.0 and 8.3 µs per chunk, 9.6 and 11.3 µs with TLS 1.3",
  },
  memoryMbPerStream: { value: 0.074, from: "`npm run bench`, at 800 streams" },
  chunkBytes: { value: 197, from: "`curl` of a stream of 100 tokens of `assay mock`: 20,259 bytes in 103 events" },
  recordBytes: MEASURED_BYTES.record,
  reportUsPerRecord: {
    value: 16,
    from: "`npm run bench:reports`: CPU of `assay report` for a million records, 13 each for four million ([file formats](file-formats.md))",
  },
  reportUsPerGap: {
    value: 0.21,
    from: "`npm run bench:reports -- --records 60000 --folders 1,200 --gaps 3,500`: 200 runners with planted records merged in 10.5 s and 16.9 s of CPU and up to 594 MB",
  },
  reportMsPerRunner: { value: 39, from: "the same: 10.5 s for the records of 200 runners, 2.7 s for as many of one" },
  gapBytes: MEASURED_BYTES.gap,
} as const;

/** Frames around each chunk that is sent by itself: chunked encoding, and Ethernet, IPv4 and TCP with time stamps. */
const FRAME_BYTES = 6 + 14 + 20 + 32;

/** Around each chunk that is sent by itself over TLS 1.3: header of a record, type of its content, and tag. */
const TLS_BYTES = 5 + 1 + 16;

/** Of a core for an hour, in US dollars: an assumption, about what clouds ask for without a contract. */
export const CORE_HOUR_USD = 0.05;

/** Source ports of an address towards one address and port of a target: Linux's default range, 32768 to 60999. */
export const PORTS = 60_999 - 32_768 + 1;

/** The load that the arithmetic is of: how long each stream is, and how long all are held. */
export const EXAMPLE = { streamS: 10, runS: 600 } as const;

export interface Scale {
  readonly streams: number;
  readonly runners: number;
  readonly streamsPerRunner: number;
  readonly cores: number;
  readonly memoryGib: number;
  /** Of the streams' own chunks, received by all runners. */
  readonly gbitPerS: number;
  readonly mbitPerSPerRunner: number;
  /** The same over TLS. */
  readonly tlsGbitPerS: number;
  readonly tlsCoresForChunks: number;
  /** Of the cores that are requested, while the load is held, in US dollars. */
  readonly usd: number;
  /** CPU of the load generators that the chunks alone take. */
  readonly coresForChunks: number;
  /** Source addresses that the target has to see, so that each connection has a port. */
  readonly addresses: number;
  /** Streams in `EXAMPLE.runS`, a record each. */
  readonly records: number;
  readonly fullGb: number;
  readonly summaryGb: number;
  /** CPU time of `assay report` for all records, with their gaps and without. */
  readonly fullMergeMinutes: number;
  readonly summaryMergeMinutes: number;
  /** Streams that a machine has to be calibrated for, so that as few runners as one TestRun can have are enough. */
  readonly streamsToCalibrate: number;
}

/** @param streams concurrent streams of the whole load */
export function scaleOf(streams: number): Scale {
  const { value: chunksPerS } = MEASURED.chunksPerS;
  const { runners, cpuMillis, memoryBytes } = runnerSize("auto", streams, {
    machine: { cpus: MEASURED.cpus.value, model: "", memoryGb: 0 },
    trusted: { streams: MEASURED.streams.value },
    steps: [{ ...NO_STEP, memoryMbPerUser: MEASURED.memoryMbPerStream.value }],
  });
  const gbitPerSOf = (bytes: number): number => (streams * chunksPerS * bytes * 8) / 1e9;
  const gbitPerS = gbitPerSOf(MEASURED.chunkBytes.value + FRAME_BYTES);
  const coresOf = (us: number): number => (streams * chunksPerS * us) / 1e6;
  const cores = (runners * cpuMillis) / 1_000;
  const records = (streams * EXAMPLE.runS) / EXAMPLE.streamS;
  const gaps = EXAMPLE.streamS * chunksPerS;
  const mergeMinutes = (usPerRecord: number): number =>
    (records * usPerRecord + runners * MEASURED.reportMsPerRunner.value * 1_000) / 1e6 / 60;
  return {
    streams,
    runners,
    streamsPerRunner: Math.ceil(streams / runners),
    cores,
    usd: cores * (EXAMPLE.runS / 3_600) * CORE_HOUR_USD,
    memoryGib: (runners * memoryBytes) / 2 ** 30,
    gbitPerS,
    mbitPerSPerRunner: (gbitPerS * 1_000) / runners,
    tlsGbitPerS: gbitPerSOf(MEASURED.chunkBytes.value + FRAME_BYTES + TLS_BYTES),
    coresForChunks: coresOf(MEASURED.cpuPerChunkUs.value),
    tlsCoresForChunks: coresOf(MEASURED.cpuPerChunkUs.value + MEASURED.tlsUsPerChunk.value),
    addresses: Math.ceil(streams / PORTS),
    records,
    fullGb: (records * (MEASURED.recordBytes.value + gaps * MEASURED.gapBytes.value)) / 1e9,
    summaryGb: (records * MEASURED.recordBytes.value) / 1e9,
    fullMergeMinutes: mergeMinutes(MEASURED.reportUsPerRecord.value + gaps * MEASURED.reportUsPerGap.value),
    summaryMergeMinutes: mergeMinutes(MEASURED.reportUsPerRecord.value),
    streamsToCalibrate: Math.max(MEASURED.streams.value, Math.ceil(streams / MOST_RUNNERS / HEAD_ROOM)),
  };
}

const NO_ERROR = { count: 0, p50: 0, p99: 0, max: 0 };
const NO_STEP = {
  ...{ streams: 0, ttftError: NO_ERROR, gapError: NO_ERROR, serverGapError: NO_ERROR },
  ...{ unmatched: 0, validity: "VALID" as const },
};
