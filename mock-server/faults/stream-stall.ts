/** A stream that stops without ending. */

import { firstHalf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-stall",
  about: "a stream falls silent in the middle and stays open",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => ({ ...stream, frames: firstHalf(stream), ending: "hang" }),
});
