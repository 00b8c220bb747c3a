/** Members that the document does not know, in every answer. */

import { isObject } from "../../lib/json.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "extra-members",
  about: "every answer has members that the document does not know",
  transform: (response) =>
    isObject(response.body)
      ? {
          ...response,
          body: { request_cost: 0.25, trace: { node: "a-7", hops: [1, 2] }, ...response.body, note: null },
        }
      : response,
});
