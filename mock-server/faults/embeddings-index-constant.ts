/** Items that cannot be matched to their inputs. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-index-constant",
  about: "index is 0 in every item",
  breaks: ["embeddings.response.data.indexes"],
  route: "embeddings",
  transform: changed("data[].index", () => 0),
});
