/** The run as k6 provides it: the only file that reads k6's `__ENV` and `__VU`. */

import type { LoadSettings } from "./process/checked-settings.ts";
import { type Service, serviceFor } from "./service-access.ts";
import { shared, sharedList } from "./shared-values.ts";

/** Settings of the run. */
export const settings: LoadSettings = shared("settings", ({ readLoadSettings }) => readLoadSettings(__ENV));

const perKey = sharedList("services", ({ servicesOf }) => servicesOf(settings, __ENV));

/** The service, with this virtual user's API key. */
export const service: Service = serviceFor(perKey, __VU);

/** In k6's own virtual user, which cleans up at the end: the service once per API key. In others: `service`. */
export const services: readonly Service[] = __VU === 0 ? [...perKey] : [service];
