/** A service that counts nothing: zero is an integer. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "usage-zero",
  about: "every count of tokens is 0",
  transform: (response) =>
    ["prompt_tokens", "completion_tokens", "total_tokens"].reduce(
      (now, count) => changed(`usage.${count}`, () => 0)(now),
      response,
    ),
});
