/** One chat request per arrival, not streamed: time to first byte, end-to-end latency, outcome. */
import { promptFor } from "./inputs.ts";
import { loadShape, paced } from "./profiles/index.ts";
import { chat } from "./steps/chat.ts";

export const options = loadShape("chat");

export default paced((arrival) => {
  chat(promptFor(arrival));
});
