/** The run as k6 hands it over: the only file that reads k6's `__ENV` and `__VU`. */

import { SharedArray } from "k6/data";
import { type LoadSettings, readLoadSettings } from "./load-settings.ts";
import { apiKeysOf, keyFor, type Service, serviceOf } from "./service.ts";

/** Settings of the run, read once a process: each virtual user would keep what reading them leaves behind. */
export const settings: LoadSettings = shared("settings", () => readLoadSettings(__ENV));

/** A value that exists once a process; JSON data only. */
function shared<T>(name: string, make: () => T): T {
  const [value] = new SharedArray<T>(name, () => [make()]);
  if (value === undefined) throw new Error(`Cannot share ${name}: it is undefined.`);
  return value;
}

const keys = apiKeysOf(__ENV);

/** The service, with this virtual user's API key. */
export const service: Service = serviceOf(settings, __ENV, keyFor(keys, __VU));

/** The service with each API key in turn in k6's own virtual user, which cleans up after all; else as `service`. */
export const services: readonly Service[] =
  __VU === 0 && keys.length > 0 ? keys.map((key) => serviceOf(settings, __ENV, key)) : [service];
