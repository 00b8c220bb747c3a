/** One chat request per arrival, or per turn of its conversation, not streamed: time to first byte, end-to-end latency, outcome. */
import { loadShape, paced } from "./load-shape.ts";
import { chat, lastChat } from "./steps/chat.ts";
import { chatWith } from "./steps/converse.ts";

export const options = loadShape("chat", { sends: "chat" });

export default paced((arrival) => {
  chatWith(chat, lastChat, arrival);
});
