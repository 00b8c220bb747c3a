/** One streamed chat request. */

import type { Call, Reply } from "k6/x/assay";
import type { Prompt } from "../../load/inputs/prompts.ts";
import { isChosen } from "../../load/inputs/random.ts";
import type { Leave } from "../../settings/load/leave.ts";
import { settings } from "../environment.ts";
import { callOf } from "../inputs.ts";
import { arrivalUnderWay, isMeasured, perModel, workload } from "../workloads.ts";
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
export const streamChat = (prompt: Prompt): Reply => request().endpoint.send(streamedCall(prompt));

/** The same, where nothing depends on the response: it may be read while the virtual user goes on. */
export const lastStreamChat = (prompt: Prompt): void => request().endpoint.handOver(streamedCall(prompt));

function streamedCall(prompt: Prompt): Call {
  const call = callOf(prompt, request().bodyOf);
  const { leave } = workload();
  return leave === undefined ? call : leaving(call, leave);
}

/**
 * The call, of a client that leaves where it is one of those (`leave`). All stay in the warm-up, which shows what the target does
 * without any that leave.
 */
function leaving(call: Call, { share, at, part, ms = 0 }: Leave): Call {
  const { turn = 1, maxTokens = 1 } = call;
  if (!isMeasured() || !isChosen(share, settings.seed, arrivalUnderWay(), `leave ${turn}`)) return call;
  return { ...call, leave: { at, ms, chunks: part === undefined ? 0 : Math.max(1, Math.ceil(part * maxTokens)) } };
}
