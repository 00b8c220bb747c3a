/** One streamed chat request per arrival, or per turn of its conversation: time to first token, gaps, outcome. */
import { loadShape, paced } from "./load-shape.ts";
import { chatWith } from "./steps/converse.ts";
import { lastStreamChat, streamChat } from "./steps/stream-chat.ts";

export const options = loadShape("chat-stream", { sends: "chat-stream" });

export default paced((arrival) => {
  chatWith(streamChat, lastStreamChat, arrival);
});
