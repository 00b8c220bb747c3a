/** `assay doctor`: checks the installation, and says how a target is reached. Builds and sends nothing. */

import { Command } from "commander";
import { type CommonFlags, resolveSettings, withSettings } from "../../cli/command-settings.ts";
import { printResult } from "../../cli/console.mjs";
import { EXIT } from "../../cli/exit-codes.ts";
import { VERSION } from "../../cli/tool.mjs";
import { describeRoute, type Reach, routeTo } from "../../route/route.ts";
import { lastCalibration } from "../../runs/load/last-calibration.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import { findK6, GO_HINT, goForBuild } from "../../toolchain/find-k6.mjs";
import { untestedNode } from "../../toolchain/tested-node.mjs";

interface Finding {
  readonly what: string;
  readonly observed: string;
  /** What to do; absent: nothing. */
  readonly advice?: string;
  /** Assay cannot work without it. */
  readonly fatal?: true;
}

export const command = withSettings(new Command("doctor"), "doctor").action(
  (flags: CommonFlags & Readonly<Record<string, unknown>>) => {
    const { target, ...reach } = resolveSettings("doctor", flags).values;
    const findings = [node(), k6(), calibration(), key(), ...(target === undefined ? [] : [route(target, reach)])];
    const width = Math.max(...findings.map(({ what }) => what.length));
    const lines = findings.flatMap(({ what, observed, advice }) => [
      `  ${what.padEnd(width)}  ${observed}\n`,
      ...(advice === undefined ? [] : [`  ${" ".repeat(width)}  → ${advice}\n`]),
    ]);
    printResult([`assay ${VERSION}\n`, ...lines].join(""), () => ({ version: VERSION, findings }));
    process.exitCode = findings.some(({ fatal }) => fatal) ? EXIT.usage : EXIT.passed;
  },
);

function node(): Finding {
  const advice = untestedNode(process.version);
  return { what: "Node", observed: process.version, ...(advice !== undefined && { advice }) };
}

function k6(): Finding {
  const tried: string[] = [];
  try {
    const found = findK6({}, tried);
    if (found !== null) return { what: "k6", observed: `${found.path}, ${found.version} (${found.origin})` };
  } catch (error) {
    return { what: "k6", observed: "cannot be used", advice: reasonOf(error), fatal: true };
  }
  const go = goForBuild();
  if (go === null) return { what: "k6", observed: "none", advice: `${tried.join("; ")}. ${GO_HINT}`, fatal: true };
  return {
    what: "k6",
    observed: "not built yet",
    advice: `the first load builds it with ${go}, which takes about a minute`,
  };
}

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

function route(target: string, reach: Reach): Finding {
  try {
    return { what: "target", observed: describeRoute(routeTo(target, reach)) };
  } catch (error) {
    return { what: "target", observed: "cannot be reached", advice: reasonOf(error), fatal: true };
  }
}

function key(): Finding {
  const given = process.env["ASSAY_API_KEY"] || process.env["ASSAY_API_KEYS"];
  if (given) return { what: "API key", observed: "set" };
  return { what: "API key", observed: "none", advice: "export ASSAY_API_KEY=… for a target that requires one" };
}
