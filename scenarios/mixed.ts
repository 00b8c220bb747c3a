/** A load of several workloads: each arrival sends what its workload says. */

import type { Arrival } from "k6/x/assay";
import type { WorkloadKind } from "../contract/operations.ts";
import { promptFor, promptsFor } from "./inputs.ts";
import { paced, shapeOfWorkloads, takenFrom } from "./load-shape.ts";
import { chat, lastChat } from "./steps/chat.ts";
import { chatWith } from "./steps/converse.ts";
import { batchSize, lastEmbed } from "./steps/embed.ts";
import { cancelOpenTasks, generateVideo } from "./steps/generate-video.ts";
import { lastStreamChat, streamChat } from "./steps/stream-chat.ts";
import { WORKLOAD_SCENARIOS } from "./workload-scenarios.ts";
import { workload } from "./workloads.ts";

const senders: Readonly<Record<WorkloadKind, (arrival: Arrival) => void>> = {
  "chat-stream": (arrival) => chatWith(streamChat, lastStreamChat, arrival),
  chat: (arrival) => chatWith(chat, lastChat, arrival),
  embeddings: (arrival) => lastEmbed(promptsFor(arrival, batchSize(arrival))),
  video: (arrival) => generateVideo(arrival, promptFor(arrival)),
};

const own = new Map(
  Object.entries(WORKLOAD_SCENARIOS).map(([name, scenario]) => [name, takenFrom(name, scenario)] as const),
);

export const options = shapeOfWorkloads([...own.values()].flatMap(({ slo }) => slo));

export default paced((arrival) => {
  const { name = "", operation } = workload();
  const send = operation === undefined ? own.get(name)?.action : senders[operation];
  if (send === undefined) {
    throw new Error(
      "Cannot send anything: load.json does not hold the workloads that this bundle was made for. Write both again with assay bundle.",
    );
  }
  return send(arrival);
});

/** Once each: scenarios export Assay's, or their own. */
const cleanUps = new Set([cancelOpenTasks, ...[...own.values()].flatMap(({ teardown }) => teardown)]);

export function teardown(): void {
  for (const cleanUp of cleanUps) cleanUp();
}
