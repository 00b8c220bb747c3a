/** One streamed chat request per arrival, or per turn of its conversation: time to first token, gaps, outcome. */
import { loadShape, paced } from "./profiles/index.ts";
import { chatWith } from "./steps/converse.ts";
import { streamChat } from "./steps/stream-chat.ts";

export const options = loadShape("chat-stream");

export default paced((arrival) => {
  chatWith(streamChat, arrival);
});
