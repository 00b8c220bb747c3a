/** A load of several workloads: each arrival sends what its workload says. */

import type { Arrival } from "k6/x/assay";
import type { Part } from "../formats/outcomes.ts";
import { settings } from "./environment.ts";
import { promptFor, promptsFor } from "./inputs.ts";
import { loadShape, paced } from "./profiles/index.ts";
import { chat } from "./steps/chat.ts";
import { chatWith } from "./steps/converse.ts";
import { batchSize, embed } from "./steps/embed.ts";
import { cancelOpenTasks, generateVideo } from "./steps/generate-video.ts";
import { streamChat } from "./steps/stream-chat.ts";
import { workload } from "./workloads.ts";

export const options = loadShape(settings.workload?.title ?? "mixed");

const senders: Readonly<Record<Part, (arrival: Arrival) => void>> = {
  "chat-stream": (arrival) => chatWith(streamChat, arrival),
  chat: (arrival) => chatWith(chat, arrival),
  embeddings: (arrival) => void embed(promptsFor(arrival, batchSize(arrival))),
  video: (arrival) => generateVideo(arrival, promptFor(arrival)),
};

export default paced((arrival) => {
  const { operation } = workload();
  if (operation === undefined) throw new Error("Cannot send anything: there are no workloads in ASSAY_WORKLOAD.");
  senders[operation](arrival);
});

export const teardown = cancelOpenTasks;
