/** Addresses with a signature: the document asks for an address. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "signed-urls",
  about: "video_url has a query",
  route: "video.poll",
  transform: changed("video_url", (url) => `${String(url)}?expires=1790000000&signature=a%2Fb%3D`),
});
