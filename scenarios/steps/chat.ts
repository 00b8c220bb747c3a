/** One chat request that is not streamed. */

import type { Reply } from "k6/x/assay";
import type { Prompt } from "../../load/inputs/prompts.ts";
import { callOf } from "../inputs.ts";
import { perModel } from "../workloads.ts";
import { chatBodies } from "./bodies.ts";
import { serviceEndpoint } from "./service-endpoint.ts";

const request = perModel(
  "chat",
  ({ chatModel }) => chatModel,
  (workload, chatModel) => ({
    bodyOf: chatBodies({ ...workload, chatModel }, false),
    endpoint: serviceEndpoint(`chat ${chatModel}`, workload, ({ chatEndpoint }, target) =>
      chatEndpoint(target, chatModel, false),
    ),
  }),
);

/** Sends a prompt and waits for the whole response. */
export const chat = (prompt: Prompt): Reply => {
  const { endpoint, bodyOf } = request();
  return endpoint.send(callOf(prompt, bodyOf));
};

/** The same, where nothing depends on the response: it may be read while the virtual user goes on. */
export const lastChat = (prompt: Prompt): void => {
  const { endpoint, bodyOf } = request();
  endpoint.handOver(callOf(prompt, bodyOf));
};
