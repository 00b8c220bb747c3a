/** The API key: accepted on every endpoint, and wanted. */

import { clause } from "../builders/clause-builders.ts";
import { outcomeOf } from "../judges/acceptance.ts";
import { keyAccepted, keyEnforced, keyNameKnown } from "../judges/auth.ts";
import { type Operation, unkeyedRequests } from "../judges/exchange-kinds.ts";
import { latestTask, only } from "../judges/task-history.ts";
import type { Probe } from "../model/probe.ts";
import { bareKey, chat } from "../probes/chat.ts";
import { embed } from "../probes/embeddings.ts";
import { completedTask, ORDER, pollUnknown, submitVideo, unkeyedTask } from "../probes/video.ts";

const ENDPOINTS = [
  { name: "chat", need: "chat.minimal", probe: chat(), others: [embed(), bareKey(chat)] },
  { name: "embeddings", need: "embeddings.minimal", probe: embed(), others: [chat(), bareKey(embed)] },
  { name: "video", need: "video.submit.minimal", probe: completedTask, others: [chat(), embed(), bareKey(chat)] },
] as const;

export const accepted = ENDPOINTS.map(({ name, need, probe, others }) =>
  clause(`auth.key.${name}`, `the API key is accepted by ${name}`, {
    row: "auth.bearer",
    level: "required",
    undecidedBy: [need],
    probe,
    again: 5,
    others,
    provenBy: [`auth-${name}-refused`, "auth-bare-key"],
    judge: (own, others, context) => {
      const tried = others.flat().find(({ request }) => request.key === "bare");
      const elsewhere = others.filter((exchanges) => exchanges[0] !== tried);
      return keyAccepted(own, elsewhere, context, tried);
    },
  }),
);

export const headerName = clause(
  "auth.key.header-case",
  "the header that carries the key is known in upper case and as the specification writes it, too",
  {
    row: "auth.bearer",
    level: "recommended",
    needs: ["chat.minimal"],
    probe: chat({}, { keyName: "Authorization" }),
    others: [chat({}, { keyName: "AUTHORIZATION" })],
    provenBy: ["auth-header-case"],
    judge: (own, others) => keyNameKnown([own, ...others].flat()),
  },
);

interface Unkeyed {
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly need: string;
  readonly none: Probe;
  /** Other forms of the request. Some services lock out a client after a few of them, so there are no more than needed. */
  readonly moreNone: readonly Probe[];
  readonly wrong: Probe;
}

const UNKEYED: readonly Unkeyed[] = [
  {
    name: "chat",
    operations: ["chat"],
    need: "chat.minimal",
    none: chat({}, { key: "none" }),
    moreNone: [chat({ stream: true }, { key: "none" })],
    wrong: chat({}, { key: "wrong" }),
  },
  {
    name: "embeddings",
    operations: ["embeddings"],
    need: "embeddings.minimal",
    none: embed({}, { key: "none" }),
    moreNone: [],
    wrong: embed({}, { key: "wrong" }),
  },
  {
    name: "video",
    operations: ["submit"],
    need: "video.submit.minimal",
    none: submitVideo({}, ORDER.recommended, { key: "none" }),
    moreNone: [],
    wrong: submitVideo({}, ORDER.recommended, { key: "wrong" }),
  },
];

export const enforced = UNKEYED.flatMap(({ name, operations, need, none, moreNone, wrong }) => [
  clause(`auth.missing.${name}`, `${name} does not serve a request without a key`, {
    row: "auth.bearer.enforced",
    level: "recommended",
    over: unkeyedRequests(operations),
    needs: [need],
    probe: none,
    alsoSent: moreNone,
    provenBy: ["auth-optional", ...(name === "chat" ? ["auth-optional-streams"] : [])],
    judge: keyEnforced,
  }),
  clause(`auth.wrong.${name}`, `${name} does not serve a request with a wrong key`, {
    row: "auth.bearer.enforced",
    level: "recommended",
    needs: [need],
    probe: wrong,
    provenBy: ["auth-unchecked", "auth-optional"],
    judge: keyEnforced,
  }),
  clause(`auth.form.${name}`, `status and body of ${name} without a key`, {
    row: "errors.auth.form",
    level: "observed",
    needs: [need],
    probe: none,
    judge: outcomeOf,
  }),
]);

/** What the tasks of others are protected by. */
export const ofTasks = (["poll", "cancel"] as const).map((operation) =>
  clause(`auth.missing.video.${operation}`, `a ${operation} of a video task without a key is not served`, {
    row: "auth.bearer.enforced",
    level: "recommended",
    over: unkeyedRequests([operation]),
    needs: ["video.submit.minimal"],
    probe: unkeyedTask,
    pick: (exchanges) => only(latestTask(exchanges), operation).filter(({ request }) => request.key !== undefined),
    unmet: "no task was there to be asked for without a key",
    provenBy: ["auth-optional", `auth-optional-${operation}s`],
    judge: keyEnforced,
  }),
);

export const poll = clause("auth.form.video.poll", "status and body of a poll without a key", {
  row: "errors.auth.form",
  level: "observed",
  needs: ["video.submit.minimal"],
  probe: pollUnknown({ key: "none" }),
  judge: outcomeOf,
});
