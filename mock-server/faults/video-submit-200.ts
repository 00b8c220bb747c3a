/** A submission that answers as if the work were done. */

import { fault, whenAccepted } from "../fault.ts";

export default fault({
  name: "video-submit-200",
  about: "an accepted submission is answered with 200",
  breaks: ["video.submit.status"],
  route: "video.submit",
  damage: whenAccepted((answer) => ({ ...answer, status: 200 })),
});
