/** One chat turn a user, answered whole: time to first byte and to the end, outcome. */
import { promptFor } from "./inputs.ts";
import { loadShape, paced } from "./profiles/index.ts";
import { chat } from "./steps/chat.ts";

export const options = loadShape("chat");

export default paced((arrival) => {
  chat(promptFor(arrival));
});
