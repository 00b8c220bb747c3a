/** A connection for each request. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "closed-connections",
  about: "every answer closes its connection",
  damage: (answer) => ({ ...answer, headers: { ...answer.headers, connection: "close" } }),
  stream: (script) => ({ ...script, headers: { ...script.headers, connection: "close" } }),
});
