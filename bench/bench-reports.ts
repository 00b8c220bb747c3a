/**
 * Measures `assay report` on many records: time and memory, of one folder and of several that are merged. Prints results; sets
 * no limits. `npm run bench:reports [-- --records 1000000,5000000,10000000] [--folders 1,10] [--gaps 3]`; the records go
 * to the folder for temporary files (`TMPDIR`), about 430 bytes each, one run's after another. 200 runners of a cluster that held
 * streams of 500 gaps: `--records 60000 --folders 200 --gaps 500`.
 */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FILES } from "../formats/file-names.ts";
import { machine, say } from "./bench-output.ts";
import { writeSegment } from "./made-records.ts";
import { ASSAY, runNode } from "./process-usage.ts";

/** The program that is measured; another one to compare with. */
const PROGRAM = process.env["ASSAY_PROGRAM"] ?? ASSAY;

async function bench(records: number, folders: number, gaps: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-"));
  try {
    const parts = Array.from({ length: folders }, (_, part) => join(folder, `segment-${part}`));
    for (const [part, path] of parts.entries()) {
      writeSegment(path, { records, gaps, segments: folders }, part);
    }
    const bytes = parts.reduce((sum, path) => sum + statSync(join(path, FILES.records)).size, 0);
    const { seconds, cpuSeconds, peakMb } = await runNode([
      PROGRAM,
      "report",
      ...parts,
      "--out",
      join(folder, "report"),
    ]);
    say(
      `  ${records.toLocaleString("en")} records in ${folders} ${folders === 1 ? "folder" : "folders"} with ${gaps} gaps each ` +
        `(${(bytes / 1e9).toFixed(2)} GB): ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU ` +
        `(${((cpuSeconds * 1e6) / records).toFixed(1)} µs per record), peak memory ${peakMb.toFixed(0)} MB`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const numbers = (text: string): number[] => text.split(",").map(Number);

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "1000000,5000000,10000000" },
    folders: { type: "string", default: "1,10" },
    gaps: { type: "string", default: "3" },
  },
});
say(machine("one process on any core"));
say("reports of made-up chats");
for (const folders of numbers(values.folders)) {
  for (const records of numbers(values.records)) {
    for (const gaps of numbers(values.gaps)) await bench(records, folders, gaps);
  }
}
