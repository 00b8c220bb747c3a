/** An answer without its vectors. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "embeddings-data-empty",
  about: "data is empty",
  breaks: ["embeddings.response.data.count", "embeddings.response.data.count-many"],
  route: "embeddings",
  damage: changed("data", () => []),
});
