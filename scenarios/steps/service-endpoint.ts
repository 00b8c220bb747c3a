/**
 * Endpoints of the service. Their options, with every field that a response must have, are made once per process; a
 * virtual user adds its headers and keeps neither the options nor the tables of fields.
 */

import { Endpoint, type EndpointOptions } from "k6/x/assay";
import type { Service } from "../../load/read/service-access.ts";
import type { Workload } from "../../load/rules/checked-settings.ts";
import { serviceOf, settings } from "../environment.ts";
import { type ProcessState, shared } from "../shared-values.ts";

/**
 * Makes an endpoint.
 * @param name each endpoint of a workload has its own.
 * @param workload whose requests it sends.
 * @param make called once per process.
 * @param as the service with the API key to use; absent: that of this virtual user for the workload.
 */
export function serviceEndpoint(
  name: string,
  workload: Workload,
  make: (state: ProcessState, target: Service) => EndpointOptions,
  as: Service = serviceOf(workload),
): Endpoint {
  const options = shared(`endpoint ${name} of ${workload.name}`, (state) =>
    make(state, { baseUrl: as.baseUrl, headers: {} }),
  );
  const headers = { ...as.headers, ...options.headers };
  const { sessionHeader, seed, promptSeed } = settings;
  return new Endpoint({
    ...options,
    headers,
    ...(workload.name && { workload: workload.name }),
    ...(sessionHeader !== undefined && { session: { header: sessionHeader, key: `${seed} ${promptSeed}` } }),
  });
}

/** The endpoint that cancels video tasks of a workload. */
export const cancelEndpoint = (workload: Workload, model: string, as?: Service): Endpoint =>
  serviceEndpoint(
    `video.cancel ${model}`,
    workload,
    ({ videoCancelEndpoint }, target) => videoCancelEndpoint(target, model),
    as,
  );
