/**
 * Sends the prefixes that prompts share, once each, before the load: k6 calls `setup()` in its own virtual user, before the others begin.
 * The bundler adds it to a scenario that is to do so.
 */

import { parseModels } from "../../settings/load/models.ts";
import { PRIME_MS, primedIn } from "../../settings/load/workload.ts";
import { served, servicesToCleanUp } from "../environment.ts";
import { messageOf, prefixText } from "../inputs.ts";
import { chatBodies } from "./bodies.ts";
import { serviceEndpoint } from "./service-endpoint.ts";

const primed = primedIn(served);

/** Of each workload that is primed, once per API key: a cache may be of one customer. */
const primers = servicesToCleanUp
  .filter(({ workload }) => primed.includes(workload))
  .flatMap(({ workload, service }) =>
    parseModels(workload.chatModel).map(({ model }) => ({
      workload,
      bodyOf: chatBodies({ ...workload, chatModel: model }, false),
      endpoint: serviceEndpoint(
        `prime ${model}`,
        workload,
        ({ chatEndpoint }, target) => chatEndpoint(target, model, false),
        service,
      ),
    })),
  );

/** @throws Error when a prefix could not be sent */
export function setup(): void {
  for (const { workload, endpoint, bodyOf } of primers) {
    const { tokens = 0, texts = 0 } = workload.sharedPrefixTokens ?? {};
    const calls = Array.from({ length: texts }, (_, nth) => {
      const messages = `[${messageOf("system", prefixText(workload, tokens, nth))},${messageOf("user", "Hello.")}]`;
      return { body: bodyOf(messages, 1), maxTokens: 1 };
    });
    const failed = endpoint.sendAll(calls, PRIME_MS).find(({ outcome }) => outcome !== "ok");
    if (failed !== undefined) {
      throw new Error(
        `Cannot prime the target: a prefix got no response that is ok (${failed.outcome}: ${failed.detail})`,
      );
    }
  }
}
