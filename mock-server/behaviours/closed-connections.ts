/** A connection for each request. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "closed-connections",
  about: "every answer closes its connection",
  transform: (response) => ({ ...response, headers: { ...response.headers, connection: "close" } }),
  transformStream: (stream) => ({ ...stream, headers: { ...stream.headers, connection: "close" } }),
});
