/** A clock that is a day off. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "created-at-far",
  about: "created_at is a day ahead",
  breaks: ["video.submit.created_at.near"],
  route: "video.submit",
  transform: changed("created_at", (given) => new Date(Date.parse(String(given)) + 86_400_000).toISOString()),
});
