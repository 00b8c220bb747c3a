/** A key that is good elsewhere and not for video. */

import { errorResponse } from "../base/mock-response.ts";
import { fault } from "../variants/variant.ts";

const unauthorized = errorResponse({ status: 401, message: "wrong API key", code: "invalid_api_key", param: null });

export default fault({
  name: "auth-video-refused",
  about: "video refuses every key",
  breaks: ["auth.key.video"],
  route: ["video.submit", "video.poll", "video.cancel"],
  transform: () => unauthorized,
  transformStream: () => unauthorized,
});
