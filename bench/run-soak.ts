/**
 * A long load, and whether anything grows meanwhile: memory, descriptors and sockets of k6, of `assay` and of the mock.
 * `npm run soak [-- --minutes N] [--rate N | --conversations N]`; ends with exit code 1 when a slope is beyond its bound and the noise.
 */

import { parseArgs } from "node:util";
import { z } from "zod";
import { conversations, mixedLoad, soak } from "../tests/support/soak/soak.ts";
import { machine, say } from "./bench-output.ts";

const SHOWN_EVERY_S = 30;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    rate: { type: "string", default: "50" },
    conversations: { type: "string" },
  },
});
const minutes = z.coerce.number().positive().parse(values.minutes);
const load =
  values.conversations === undefined
    ? mixedLoad(z.coerce.number().positive().parse(values.rate))
    : conversations(z.coerce.number().int().positive().parse(values.conversations));

say(machine());
say(`\n${minutes} minutes at ${load.inWords}; memory in MB / descriptors / sockets`);
let shownS = Number.NEGATIVE_INFINITY;
const { slopes, most, ended } = await soak(Math.round(minutes * 60), load, (s, samples) => {
  if (s < shownS + SHOWN_EVERY_S) return;
  shownS = s;
  const each = Object.entries(samples).map(
    ([name, { memoryMb, descriptors, sockets }]) => `${name} ${memoryMb.toFixed(0)} / ${descriptors} / ${sockets}`,
  );
  say(`  ${s.toFixed(0).padStart(5)} s   ${each.join("   ")}`);
});
say("\nat most");
for (const [name, { memoryMb, descriptors, sockets }] of Object.entries(most)) {
  say(`  ${name.padEnd(6)} ${memoryMb.toFixed(0)} MB, ${descriptors} descriptors, ${sockets} sockets`);
}
say("\nslope per minute over the last 40%, with its standard error");
for (const { process: name, quantity, perMinute, noise, first, last, grows } of slopes) {
  const change = `${first.toFixed(0)} to ${last.toFixed(0)}`;
  const slope = `${perMinute.toFixed(2)} ± ${noise.toFixed(2)}`;
  say(
    `  ${name.padEnd(6)} ${quantity.padEnd(12)} ${slope.padEnd(16)} ${change.padEnd(12)} ${grows ? "GROWS" : "flat"}`,
  );
}
say(`\nassay load ended with exit code ${ended.code}: ${ended.stdout.split("\n", 1)[0]}`);
if (slopes.some(({ grows }) => grows) || ended.code === 3) process.exitCode = 1;
