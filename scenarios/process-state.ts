/**
 * What a run needs once a process: how its settings, prompts, trace and shape are read. `shared-values.ts` asks for it, and
 * nothing that a virtual user runs imports it: each function of a module that is imported exists anew, at about a
 * kilobyte, in every virtual user.
 */

import type { Options } from "k6/options";
import type { RunOptions } from "k6/x/assay";
import type { LoadSettings } from "./checked-settings.ts";
import { optionsOf, runOptionsOf } from "./profiles/run-options.ts";
import { stockOptionsOf } from "./stock/arrival-ticks.ts";

export { readLoadSettings } from "./checked-settings.ts";
export { corpusOf } from "./lengths.ts";
export { openTrace } from "./open-trace.ts";
export { parsePrompts } from "./prompts.ts";
export { servicesOf } from "./service-access.ts";

/** True in a bundle for a k6 without the extension; the bundler sets it. */
declare const ASSAY_STOCK: boolean;

/** What the extension and k6 are told about a run. */
export const shapeOf = (
  scenario: string,
  settings: LoadSettings,
): { readonly run: RunOptions; readonly k6: Options } => ({
  run: runOptionsOf(scenario, settings),
  k6: ASSAY_STOCK ? stockOptionsOf(scenario, settings) : optionsOf(scenario, settings),
});
