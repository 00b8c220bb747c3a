/** A key that is good elsewhere and not for embeddings. */

import { errorResponse } from "../base/mock-response.ts";
import { fault } from "../variants/variant.ts";

const unauthorized = errorResponse({ status: 401, message: "wrong API key", code: "invalid_api_key", param: null });

export default fault({
  name: "auth-embeddings-refused",
  about: "embeddings refuses every key",
  breaks: ["auth.key.embeddings"],
  route: "embeddings",
  transform: () => unauthorized,
  transformStream: () => unauthorized,
});
