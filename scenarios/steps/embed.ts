/** One embedding request. */

import type { Arrival, Call, Reply } from "k6/x/assay";
import type { Prompt } from "../../load/inputs/prompts.ts";
import { choiceOf, draw } from "../../load/inputs/random.ts";
import { settings } from "../environment.ts";
import { textPart } from "../inputs.ts";
import { numberOf, perModel, workload } from "../workloads.ts";
import { embeddingBodies } from "./bodies.ts";
import { serviceEndpoint } from "./service-endpoint.ts";

const request = perModel(
  "embeddings",
  ({ embeddingModel }) => embeddingModel,
  (workload, model) => ({
    bodyOf: embeddingBodies(model),
    endpoint: serviceEndpoint(`embeddings ${model}`, workload, ({ embeddingsEndpoint }, target) =>
      embeddingsEndpoint(target, model),
    ),
  }),
);

/** Number of inputs of an arrival's request: the batch sizes of its workload in turn, or by weight. */
export const batchSize = (arrival: Arrival): number =>
  choiceOf(workload().batchSizes, draw(settings.seed, arrival.index, "batch size"), numberOf(arrival));

/** Encodes the texts of the prompts in one request; the response must have as many vectors. */
export const embed = (prompts: readonly Prompt[]): Reply => request().endpoint.send(embeddingCall(prompts));

/** The same, where nothing depends on the response: it may be read while the virtual user goes on. */
export const lastEmbed = (prompts: readonly Prompt[]): void => request().endpoint.handOver(embeddingCall(prompts));

function embeddingCall(prompts: readonly Prompt[]): Call {
  const body = request().bodyOf(prompts.map((prompt) => textPart(prompt)));
  const items = prompts.length;
  if (prompts[0]?.inputTokens === undefined) return { body, items };
  return { body, items, inputTokens: prompts.reduce((sum, { inputTokens = Number.NaN }) => sum + inputTokens, 0) };
}
