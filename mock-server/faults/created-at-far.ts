/** A clock that is a day off. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "created-at-far",
  about: "created_at is a day ahead",
  breaks: ["video.submit.created_at.near"],
  route: "video.submit",
  damage: changed("created_at", (given) => new Date(Date.parse(String(given)) + 86_400_000).toISOString()),
});
