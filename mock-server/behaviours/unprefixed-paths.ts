/** The flow description of the document writes the video paths without the prefix. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "unprefixed-paths",
  about: "every path is served without /v1 too",
  path: (path) => (/^\/(?:chat|embeddings|videos)\b/.test(path) ? `/v1${path}` : path),
});
