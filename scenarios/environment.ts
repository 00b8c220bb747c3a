/** The run as k6 provides it: the only file that reads k6's `__ENV` and `__VU`. */

import { type Service, serviceFor } from "../load/read/service-access.ts";
import type { LoadSettings, Workload } from "../load/rules/checked-settings.ts";
import { shared, sharedList } from "./shared-values.ts";

/** Settings of the run, which `load.json` beside the bundle holds. */
export const settings: LoadSettings = shared("settings", ({ openLoad }) => openLoad());

const perKey = (workload: Workload): readonly Service[] =>
  sharedList(`services of ${workload.name}`, ({ servicesOf }) =>
    servicesOf({ target: settings.target, ...workload }, __ENV),
  );

/** The service, with this virtual user's API key for a workload. */
export const serviceOf = (workload: Workload): Service => serviceFor(perKey(workload), __VU);

/**
 * In k6's own virtual user, which cleans up at the end: the service of each workload, once per API key. In others: none.
 */
export const servicesToCleanUp: readonly { readonly workload: Workload; readonly service: Service }[] =
  __VU === 0
    ? settings.workloads.flatMap((workload) => [...perKey(workload)].map((service) => ({ workload, service })))
    : [];
