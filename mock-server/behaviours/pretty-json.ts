/** White space, a charset, and keys in another order. */

import { JSON_MEDIA_TYPE } from "../../contract/service.ts";
import { isObject } from "../../lib/json.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "pretty-json",
  about: "JSON is indented, in reverse order of its keys, with a charset",
  transform: (response) =>
    isObject(response.body)
      ? {
          ...response,
          headers: { ...response.headers, "content-type": `${JSON_MEDIA_TYPE}; charset=utf-8` },
          body: JSON.stringify(Object.fromEntries(Object.entries(response.body).reverse()), null, 2),
        }
      : response,
});
