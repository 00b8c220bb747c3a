/** Headers that the document does not know. */

import { behaviour } from "../variants/variant.ts";

const GATEWAY = {
  server: "gateway",
  via: "1.1 gateway",
  "x-ratelimit-remaining-requests": "59",
  "strict-transport-security": "max-age=31536000",
  "set-cookie": "node=7; Path=/",
};

export default behaviour({
  name: "extra-headers",
  about: "every answer has headers of a gateway",
  transform: (response) => ({ ...response, headers: { ...response.headers, ...GATEWAY } }),
  transformStream: (stream) => ({ ...stream, headers: { ...stream.headers, ...GATEWAY } }),
});
