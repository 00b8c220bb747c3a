/** `assay doctor`: checks the installation. Builds and sends nothing. */

import { Command } from "commander";
import { type CommonFlags, withSettings } from "../cli/command-settings.ts";
import { print } from "../cli/console.mjs";
import { EXIT } from "../cli/exit-codes.ts";
import { VERSION } from "../cli/tool.ts";
import { lastCalibration } from "../load/last-calibration.ts";
import { findK6, goVersion } from "../toolchain/find-k6.mjs";
import { EXTENSION, GO_HINT, stockRefusal } from "../toolchain/k6.ts";

interface Finding {
  readonly what: string;
  readonly observed: string;
  /** What to do; absent: nothing. */
  readonly advice?: string;
  /** Assay cannot work without it. */
  readonly fatal?: true;
}

export const command = withSettings(
  new Command("doctor").description("check the installation; build and send nothing"),
).action((_: CommonFlags) => {
  const findings = [node(), k6(), calibration(), key()];
  const width = Math.max(...findings.map(({ what }) => what.length));
  print(`assay ${VERSION}\n`);
  for (const { what, observed, advice } of findings) {
    print(`  ${what.padEnd(width)}  ${observed}\n`);
    if (advice !== undefined) print(`  ${" ".repeat(width)}  → ${advice}\n`);
  }
  process.exitCode = findings.some(({ fatal }) => fatal) ? EXIT.usage : EXIT.passed;
});

const node = (): Finding => ({ what: "Node", observed: process.version });

function k6(): Finding {
  const found = findK6(EXTENSION);
  if (found?.kind === "assay")
    return { what: "k6", observed: `${found.path}, ${found.version} with Assay's extension (${found.origin})` };
  const go = goVersion();
  // One that ASSAY_K6 names is used whatever could be built.
  if (go !== null && found?.origin !== "ASSAY_K6") {
    return {
      what: "k6",
      observed: "not built yet",
      advice: `the first load builds it with ${go}, which takes about a minute`,
    };
  }
  if (found === null) return { what: "k6", observed: "none", advice: `${GO_HINT}; loads need k6`, fatal: true };
  const refusal = stockRefusal(found);
  const hint = `${GO_HINT}${found.origin === "ASSAY_K6" ? ", and unset ASSAY_K6" : ""}`;
  return {
    what: "k6",
    observed: `${found.path}, a stock k6 ${found.version} (${found.origin})`,
    advice: `${refusal ?? STOCK_LACKS}. ${hint}`,
    ...(refusal !== undefined && { fatal: true }),
  };
}

const STOCK_LACKS =
  "it can run loads at a constant rate or with --vus, but first tokens, gaps between chunks, stalls and schedule lag are not measured, and assay calibrate does not run";

function calibration(): Finding {
  const last = lastCalibration();
  if (last === undefined)
    return {
      what: "calibration",
      observed: "none",
      advice: "assay calibrate measures up to which load this machine can be trusted",
    };
  const reach =
    last.trusted === undefined ? "not to be trusted at any load" : `trusted up to ${last.trusted.streams} streams`;
  return { what: "calibration", observed: `${reach} (${last.at.slice(0, 10)})` };
}

function key(): Finding {
  const given = process.env["ASSAY_API_KEY"] || process.env["ASSAY_API_KEYS"];
  if (given) return { what: "API key", observed: "set" };
  return { what: "API key", observed: "none", advice: "export ASSAY_API_KEY=… for a target that requires one" };
}
