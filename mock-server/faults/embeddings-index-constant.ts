/** Items that cannot be matched to their inputs. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "embeddings-index-constant",
  about: "index is 0 in every item",
  breaks: ["embeddings.response.data.indexes"],
  route: "embeddings",
  damage: changed("data[].index", () => 0),
});
