/** One embedding request. */

import type { Arrival, Reply } from "k6/x/assay";
import { settings } from "../environment.ts";
import { partOf, readyAsJson } from "../inputs.ts";
import { type Prompt, textOf } from "../prompts.ts";
import { batchSizeFor, embeddingBodies } from "./bodies.ts";
import { serviceEndpoint } from "./service-endpoint.ts";

const endpoint = serviceEndpoint(
  "embeddings",
  ({ embeddingsEndpoint }, target) => embeddingsEndpoint(target, settings.embeddingModel),
  readyAsJson("texts", textOf),
);
const bodyOf = embeddingBodies(settings.embeddingModel);

/** Number of inputs of an arrival's request: the batch sizes of the settings in turn. */
export const batchSize = (arrival: Arrival): number => batchSizeFor(settings.batchSizes, arrival.index);

/** Encodes the texts of the prompts in one request; the response must have as many vectors. */
export const embed = (prompts: readonly Prompt[]): Reply =>
  endpoint.send({ body: bodyOf(prompts.map((prompt) => partOf(prompt, textOf))), items: prompts.length });
