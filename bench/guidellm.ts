/** GuideLLM under the same load, compared with the same ground truth. */

import { readFileSync } from "node:fs";
import { STREAM } from "../runs/calibrate/run-calibration.ts";
import type { BenchContext } from "./bench-context.ts";
import { GUIDELLM_DEFINITIONS, guidellmFigures } from "./peer-figures.ts";
import { INPUT_TOKENS, type PeerLoad, type PeerRun, rateOf, requestsOf, truthOf } from "./peer-load.ts";
import { comparePrediction, guidellmPrinted, guidellmStreams, predictionOf } from "./peer-predictions.ts";
import { type PythonTool, runTool, tokenizerOf } from "./python-tool.ts";

export const GUIDELLM: PythonTool = {
  name: "GuideLLM",
  program: "guidellm",
  version: "0.8.1",
  download: "about 3 GB, most of it the CUDA libraries that PyTorch requires; 6 GB on the disk",
  env: { HF_HUB_OFFLINE: "1" },
};

/** Loads a stream server that nothing else loads. */
export async function guidellmRun(context: BenchContext, load: PeerLoad): Promise<PeerRun> {
  const server = await context.serve({ failEvery: load.failEvery });
  const report = context.path("guidellm.json");
  try {
    runTool(GUIDELLM, [
      ...["run", "--disable-console", "--backend", `kind=openai_http,target=${server.url},model=bench`],
      ...["--profile", `kind=constant,rate=${rateOf(load)}`],
      ...["--constraint", `kind=max_requests,count=${requestsOf(load)}`],
      ...["--tokenizer", `kind=huggingface_auto,model=${tokenizerOf(GUIDELLM)}`],
      ...["--data", `kind=synthetic_text,prompt_tokens=${INPUT_TOKENS},output_tokens=${STREAM.tokens}`],
      ...["--output", `kind=json,path=${report}`],
    ]);
  } finally {
    await server.stop();
  }
  const printed = readFileSync(report, "utf8");
  return {
    reported: guidellmFigures(printed),
    predictions: comparePrediction(
      predictionOf("guidellm", server.ledger, guidellmStreams(printed)),
      guidellmPrinted(printed),
    ),
    truth: truthOf(server.ledger, GUIDELLM_DEFINITIONS),
  };
}
