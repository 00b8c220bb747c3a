/** One embedding request a user, its batch sizes taken in turn: time to the end, items a second, outcome. */
import { promptsFor } from "./inputs.ts";
import { loadShape, paced } from "./profiles/index.ts";
import { batchSize, embed } from "./steps/embed.ts";

export const options = loadShape("embeddings");

export default paced((arrival) => {
  embed(promptsFor(arrival, batchSize(arrival)));
});
