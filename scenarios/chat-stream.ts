/** One streamed chat request per arrival: time to first token, gaps, outcome. */
import { promptFor } from "./inputs.ts";
import { loadShape, paced } from "./profiles/index.ts";
import { streamChat } from "./steps/stream-chat.ts";

export const options = loadShape("chat-stream");

export default paced((arrival) => {
  streamChat(promptFor(arrival));
});
