/** Other statuses for what the document shows none. */

import { behaviour } from "../variants/variant.ts";

const STATUSES: Readonly<Record<number, number>> = { 401: 403, 404: 410, 409: 400 };

export default behaviour({
  name: "other-statuses",
  about: "403 without a key, 410 for an unknown task, 400 for a cancel in vain",
  transform: (response) => ({ ...response, status: STATUSES[response.status] ?? response.status }),
});
