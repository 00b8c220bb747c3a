/** The run as k6 hands it over: the only file that reads k6's `__ENV` and `__VU`. */

import type { LoadSettings } from "./checked-settings.ts";
import { type Service, serviceFor } from "./service-access.ts";
import { shared, sharedList } from "./shared-values.ts";

/** Settings of the run. */
export const settings: LoadSettings = shared("settings", ({ readLoadSettings }) => readLoadSettings(__ENV));

const holders = sharedList("services", ({ servicesOf }) => servicesOf(settings, __ENV));

/** The service, with this virtual user's API key. */
export const service: Service = serviceFor(holders, __VU);

/** The service with each API key in turn in k6's own virtual user, which cleans up after all; else as `service`. */
export const services: readonly Service[] = __VU === 0 ? [...holders] : [service];
