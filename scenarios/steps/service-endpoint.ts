/**
 * Endpoints of the service. Their options, with every field that a response must have, are made once per process; a
 * virtual user adds its headers and keeps neither the options nor the tables of fields.
 */

import { Endpoint, type EndpointOptions, type Texts } from "k6/x/assay";
import { service, settings } from "../environment.ts";
import type { Service } from "../service-access.ts";
import { type ProcessState, shared } from "../shared-values.ts";

/**
 * Makes an endpoint.
 * @param name each endpoint has its own.
 * @param make called once per process.
 * @param as the service with the API key to use; absent: this virtual user's.
 */
export function serviceEndpoint(
  name: string,
  make: (state: ProcessState, target: Service) => EndpointOptions,
  texts?: Texts,
  as: Service = service,
): Endpoint {
  const options = shared(`endpoint ${name}`, (state) => make(state, { baseUrl: as.baseUrl, headers: {} }));
  return new Endpoint({ ...options, headers: { ...as.headers, ...options.headers } }, texts);
}

/** The endpoint that cancels video tasks. */
export const cancelEndpoint = (as: Service = service): Endpoint =>
  serviceEndpoint(
    "video.cancel",
    ({ videoCancelEndpoint }, target) => videoCancelEndpoint(target, settings.videoModel),
    undefined,
    as,
  );
