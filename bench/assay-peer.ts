/** Assay under the same load as the other tools. */

import { join } from "node:path";
import { linesOf } from "../cli/file-lines.ts";
import { FILES } from "../formats/file-names.ts";
import { compareWithGroundTruth } from "../reports/calibration/ground-truth-errors.ts";
import { STREAM } from "../runs/calibrate/run-calibration.ts";
import { load as loadServer } from "./assay-loads.ts";
import type { BenchContext } from "./bench-context.ts";
import { INPUT_TOKENS, type PeerLoad, type PeerRun, rateOf, SENDING_S, truthOf } from "./peer-load.ts";

/** Loads a stream server that nothing else loads. */
export async function assayRun(context: BenchContext, load: PeerLoad): Promise<PeerRun> {
  const flags = {
    rate: String(rateOf(load)),
    warmup: "0",
    duration: `${SENDING_S}s`,
    maxInFlight: String(2 * load.streams),
    maxTokens: String(STREAM.tokens),
    inputTokens: String(INPUT_TOKENS),
  };
  const { run, folder, ledger } = await loadServer(context, "chat-stream", flags, { failEvery: load.failEvery });
  const { ttft, icl, requests_per_s, output_tokens_per_s } = run.metrics;
  return {
    reported: {
      ttftP50: ttft?.p50 ?? Number.NaN,
      ttftP95: ttft?.p95 ?? Number.NaN,
      iclMean: icl?.mean ?? Number.NaN,
      iclP95: icl?.p95 ?? Number.NaN,
      requestsPerS: requests_per_s?.value ?? Number.NaN,
      tokensPerS: output_tokens_per_s?.value ?? Number.NaN,
      ok: run.counts.ok,
      failed: run.counts.failed,
      timed: ttft?.count ?? 0,
    },
    truth: truthOf(ledger, { icl: "gaps", windowS: SENDING_S }),
    errors: await compareWithGroundTruth(linesOf(join(folder, FILES.records)), linesOf(ledger)),
  };
}
