/** A timestamp as seconds in a string. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "created-at-unix",
  about: "created_at is a Unix time in a string",
  breaks: ["video.submit.created_at.utc"],
  route: "video.submit",
  damage: changed("created_at", (given) => String(Math.floor(Date.parse(String(given)) / 1000))),
});
