/** One streamed chat request. */

import type { Reply } from "k6/x/assay";
import type { Prompt } from "../../load/inputs/prompts.ts";
import { callOf } from "../inputs.ts";
import { noted } from "../unanswered.ts";
import { perModel } from "../workloads.ts";
import { chatBodies } from "./bodies.ts";
import { serviceEndpoint } from "./service-endpoint.ts";

const request = perModel(
  "chat-stream",
  ({ chatModel }) => chatModel,
  (workload, chatModel) => ({
    bodyOf: chatBodies({ ...workload, chatModel }, true),
    endpoint: serviceEndpoint(`chat.stream ${chatModel}`, workload, ({ chatEndpoint }, target) =>
      chatEndpoint(target, chatModel, true),
    ),
  }),
);

/** Sends a prompt and reads the streamed response to its end; every chunk is timed. */
export const streamChat = (prompt: Prompt): Reply => {
  const { endpoint, bodyOf } = request();
  return noted(endpoint.send(callOf(prompt, bodyOf)));
};
