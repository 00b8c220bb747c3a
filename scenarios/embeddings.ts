/** One embedding request per arrival, its batch sizes used in turn: end-to-end latency, items/s, outcome. */
import { promptsFor } from "./inputs.ts";
import { loadShape, paced } from "./profiles/index.ts";
import { batchSize, embed } from "./steps/embed.ts";

export const options = loadShape("embeddings");

export default paced((arrival) => {
  embed(promptsFor(arrival, batchSize(arrival)));
});
