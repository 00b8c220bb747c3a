/** One embedding request per arrival, its batch sizes used in turn: end-to-end latency, items/s, outcome. */
import { promptsFor } from "./inputs.ts";
import { loadShape, paced } from "./load-shape.ts";
import { batchSize, lastEmbed } from "./steps/embed.ts";

export const options = loadShape("embeddings", { sends: "embeddings" });

export default paced((arrival) => {
  lastEmbed(promptsFor(arrival, batchSize(arrival)));
});
