/** docs/scale.md, computed by `scale-arithmetic.ts`. */

import { table } from "../../reports/markdown-syntax.ts";
import { MOST_RUNNERS } from "../../runs/k8s/cluster-checks.ts";
import { HEAD_ROOM } from "../../runs/k8s/runner-size.ts";
import { CORE_HOUR_USD, EXAMPLE, MEASURED, PORTS, type Scale, scaleOf } from "./scale-arithmetic.ts";

const LOADS = [10_000, 100_000, 1_000_000];

const whole = (value: number): string => Math.ceil(value).toLocaleString("en");
const figure = (value: number): string => Number(value.toPrecision(3)).toLocaleString("en");

/** What is computed, and how, in words. */
const ROWS: readonly (readonly [what: string, of: (scale: Scale) => string, how: string])[] = [
  [
    "runners",
    ({ runners }) => whole(runners),
    `streams / ${Math.floor(MEASURED.streams.value * HEAD_ROOM)} (${HEAD_ROOM * 100}% of the ${MEASURED.streams.value} that were measured), as \`--runners auto\` does`,
  ],
  ["streams per runner", ({ streamsPerRunner }) => whole(streamsPerRunner), "streams / runners"],
  [
    "cores",
    ({ cores }) => whole(cores),
    "requested for all runners, with head room: a runner requests all cores of the calibrated machine",
  ],
  [
    "cost of these cores, USD",
    ({ usd }) => figure(usd),
    `cores × ${EXAMPLE.runS / 60} minutes × ${CORE_HOUR_USD} USD per core and hour (an assumption; the nodes are paid for while they start and stop, too)`,
  ],
  [
    "cores that chunks take",
    ({ coresForChunks }) => figure(coresForChunks),
    `streams × ${MEASURED.chunksPerS.value} chunks/s × ${MEASURED.cpuPerChunkUs.value} µs`,
  ],
  [
    "the same over TLS",
    ({ tlsCoresForChunks }) => figure(tlsCoresForChunks),
    `and ${MEASURED.tlsUsPerChunk.value} µs per chunk; a TLS handshake per connection is not in it`,
  ],
  [
    "memory, GiB",
    ({ memoryGib }) => whole(memoryGib),
    `of each runner 512 MB and twice ${MEASURED.memoryMbPerStream.value} MB per stream, at least 2 GiB`,
  ],
  [
    "sockets per runner",
    ({ streamsPerRunner }) => whole(streamsPerRunner),
    "a connection per stream over HTTP/1.1; the limit of open files has to be above it",
  ],
  [
    "source addresses, at least",
    ({ addresses }) => whole(addresses),
    `streams / ${PORTS.toLocaleString("en")} source ports (\`net.ipv4.ip_local_port_range\`) towards one address of the target; each pod has an address, a NAT gateway may have one for all`,
  ],
  [
    "received, Gbit/s",
    ({ gbitPerS }) => figure(gbitPerS),
    `streams × ${MEASURED.chunksPerS.value} chunks/s × (${MEASURED.chunkBytes.value} bytes and 72 of frames, each chunk in a packet)`,
  ],
  [
    "the same over TLS, Gbit/s",
    ({ tlsGbitPerS }) => figure(tlsGbitPerS),
    "and 22 bytes per chunk: a record of TLS 1.3 each",
  ],
  ["received per runner, Mbit/s", ({ mbitPerSPerRunner }) => figure(mbitPerSPerRunner), "without TLS / runners"],
  ["records", ({ records }) => whole(records), `streams × ${EXAMPLE.runS} s / ${EXAMPLE.streamS} s per stream`],
  [
    "records on disk, full, GB",
    ({ fullGb }) => figure(fullGb),
    `records × (${MEASURED.recordBytes.value} bytes + ${EXAMPLE.streamS * MEASURED.chunksPerS.value} gaps × ${MEASURED.gapBytes.value} bytes)`,
  ],
  [
    "records on disk, summary, GB",
    ({ summaryGb }) => figure(summaryGb),
    `records × ${MEASURED.recordBytes.value} bytes`,
  ],
  [
    "merge, full, minutes",
    ({ fullMergeMinutes }) => figure(fullMergeMinutes),
    `records × (${MEASURED.reportUsPerRecord.value} µs + ${EXAMPLE.streamS * MEASURED.chunksPerS.value} gaps × ${MEASURED.reportUsPerGap.value} µs) + runners × ${MEASURED.reportMsPerRunner.value} ms, on one core`,
  ],
  [
    "merge, summary, minutes",
    ({ summaryMergeMinutes }) => figure(summaryMergeMinutes),
    `records × ${MEASURED.reportUsPerRecord.value} µs + runners × ${MEASURED.reportMsPerRunner.value} ms, on one core`,
  ],
];

/** What a difference between the clocks of machines does to each kind of metric. */
const SKEW: readonly (readonly [metrics: string, effect: string])[] = [
  [
    "`ttft`, `ttfb`, `e2e`, `icl`, `tpot`, `stall` and all else within a request",
    "none: both ends are read from the monotonic clock of one machine",
  ],
  ["`ttft_scheduled`, `e2e_scheduled`, `slot_wait`, `schedule_lag`", "none: the schedule is that of the same machine"],
  ["counts, `error_rate`, `goodput_share`", "none: the phase of an arrival is decided where it starts"],
  [
    "`requests_per_s`, `output_tokens_per_s`, `goodput`",
    "the measured window of all machines together is longer by the skew: a rate is lower by up to skew / duration",
  ],
  [
    "figures second by second, outages, stages of a rate",
    "those of one machine are shifted by the skew; other machines can hide a shorter outage",
  ],
  [
    "the schedule, with `--start-at`",
    "a machine starts early or late by its skew. Poisson segments stay one Poisson process; at a constant rate, the gaps between arrivals of two machines change by the skew",
  ],
];

/** The page, in Markdown. */
export function scalePage(): string {
  const scales = LOADS.map(scaleOf);
  const headings = ["concurrent streams", ...LOADS.map((streams) => streams.toLocaleString("en")), "computed as"];
  const largest = scales.at(-1);
  return `# Many streams

Generated by \`npm run docs\` from measurements on one machine (AMD EPYC, 2 cores) and the arithmetic of \`assay k8s --runners auto\`. Figures for more
than two cores are computed. [Measured with nine cores](accuracy.md), one process served 6,400 streams with an error of 0.4 ms. Run \`assay calibrate\` on a node of your own, and replace the first table by its figures.

| measured | value | by |
| -------- | ----- | -- |
${Object.entries(MEASURED)
  .map(([name, { value, from }]) => `| ${LABELS[name] ?? name} | ${value} | ${from} |`)
  .join("\n")}

The load: each stream lasts ${EXAMPLE.streamS} s at ${MEASURED.chunksPerS.value} chunks/s, and the given number of them is held for ${EXAMPLE.runS / 60} minutes. A million streams are 100,000
new ones per second.

${table(
  headings,
  ROWS.map(([what, of, how]) => [what, ...scales.map(of), how]),
)}

## What bounds it

- **Runners of one TestRun.** k6-operator starts all runners by one argument of a shell, and Linux limits it to ${(131_072).toLocaleString("en")} bytes. That is enough for
  ${MOST_RUNNERS} runners (with IPv6 addresses); \`assay k8s\` checks it. So a million streams need nodes that are calibrated for ${largest?.streamsToCalibrate.toLocaleString("en")}
  streams each, not ${MEASURED.streams.value}. From 40 runners on, the load needs a common \`--start-at\`, or arrivals that need none.
- **Merging.** \`assay report\` reads all records once, on one core. Its memory grows by 0.03 GB per million ([file formats](file-formats.md)). Gaps of long
  streams take more time than the records; \`--records summary\` leaves them out. \`npm run bench:reports\` measures both on your machine.
- **Copying.** \`assay k8s run\` copies the records through the API server of the cluster. At the sizes of the last column, run \`assay report\` in a
  pod of the cluster that mounts the claim of the results.
- **The target.** The target, its load balancer and the NAT before it hold one socket per stream, and send the bandwidth above.

## Clocks of machines

Machines that synchronize with NTP differ by some milliseconds, in one cloud region often by less than one. The effect:

${table(["metric", "effect of a difference between clocks"], SKEW)}

A difference of starts of more than a second is reported with the result. The merged report of [several clusters](distributed.md#several-clusters-or-regions)
estimates how far their clocks differ.
`;
}

const LABELS: Readonly<Record<string, string>> = {
  streams: "streams that one machine is trusted with",
  cpus: "cores of that machine",
  chunksPerS: "chunks per second and stream",
  cpuPerChunkUs: "CPU per chunk, µs",
  tlsUsPerChunk: "CPU per chunk that TLS adds, µs, at most",
  memoryMbPerStream: "memory per stream, MB",
  chunkBytes: "bytes of a chunk",
  recordBytes: "bytes of a record without gaps",
  reportUsPerRecord: "CPU of a report per record, µs",
  reportUsPerGap: "CPU of a report per gap, µs, at most",
  reportMsPerRunner: "CPU of a report per runner, ms",
  gapBytes: "bytes of a gap in a record",
};
