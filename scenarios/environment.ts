/** The run as k6 provides it: the only file that reads k6's `__ENV` and `__VU`. */

import { streamOf } from "k6/x/assay";
import { type Service, serviceFor } from "../load/read/service-access.ts";
import type { LoadSettings, Workload } from "../load/rules/checked-settings.ts";
import { shared, sharedList } from "./shared-values.ts";

/** All workloads; each that is looked at is made anew. */
const workloads = sharedList("workloads", ({ openLoad }) => openLoad().workloads);
const entries = sharedList("entries of workloads", ({ openLoad }) => openLoad().workload?.workloads ?? []);

/** Without what differs between workloads: there may be hundreds. */
const common = shared("settings", ({ openLoad }) => {
  const { workloads: _, workload, inputDigests: __, replayed: ___, ...others } = openLoad();
  return { ...others, ...(workload && { title: workload.title }) };
});

const { title, ...others } = common;

/** Settings of the run, which `load.json` beside the bundle holds. */
export const settings: LoadSettings = Object.freeze({
  ...others,
  get workloads() {
    return workloads;
  },
  ...(title !== undefined && {
    workload: {
      title,
      get workloads() {
        return entries;
      },
    },
  }),
});

/** The position of the workload whose arrivals this virtual user takes; undefined where it may take those of any. */
const own = streamOf(__VU);

/** The workloads whose requests this virtual user sends. k6's own makes what the others share: it has all. */
export const served: readonly Workload[] = own === undefined ? [...workloads] : workloads.slice(own, own + 1);

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
  __VU === 0 ? served.flatMap((workload) => [...perKey(workload)].map((service) => ({ workload, service }))) : [];
