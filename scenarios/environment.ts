/** The run as k6 hands it over: the only file that reads k6's `__ENV` and `__VU`. */

import { readLoadSettings } from "./load-settings.ts";
import { apiKeysOf, keyFor, type Service, serviceOf } from "./service.ts";

/** Settings of the run. */
export const settings = readLoadSettings(__ENV);

const keys = apiKeysOf(__ENV);

/** The service, with this virtual user's API key. */
export const service: Service = serviceOf(settings, __ENV, keyFor(keys, __VU));

/** The service with each API key in turn in k6's own virtual user, which cleans up after all; else as `service`. */
export const services: readonly Service[] =
  __VU === 0 && keys.length > 0 ? keys.map((key) => serviceOf(settings, __ENV, key)) : [service];
