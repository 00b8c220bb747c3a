/** A timestamp as seconds in a string. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "created-at-unix",
  about: "created_at is a Unix time in a string",
  breaks: ["video.submit.created_at.utc"],
  route: "video.submit",
  transform: changed("created_at", (given) => String(Math.floor(Date.parse(String(given)) / 1000))),
});
