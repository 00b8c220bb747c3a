/** How to reach the service and what to name its models. Runs in Node and inside k6. */

import { parseBaseUrl } from "./address.ts";
import { formatHeaders, parseHeaders } from "./headers.ts";
import { setting } from "./setting.ts";
import { SWITCH, TEXT } from "./values.ts";

export const CONNECTION_SETTINGS = {
  target: setting(
    { read: parseBaseUrl },
    {
      for: ["load", "conformance", "calibrate"],
      value: "url",
      help: "base address of the service, to which /v1/… is added",
    },
  ),
  chatModel: setting(TEXT, {
    for: ["load", "conformance", "calibrate"],
    value: "name",
    default: "assay-chat",
    help: "model of chat requests",
  }),
  embeddingModel: setting(TEXT, {
    for: ["load", "conformance"],
    value: "name",
    default: "assay-embedding",
    help: "model of embedding requests",
  }),
  videoModel: setting(TEXT, {
    for: ["load", "conformance"],
    value: "name",
    default: "assay-video",
    help: "model of video requests",
  }),
  header: setting(
    { read: parseHeaders, write: formatHeaders },
    {
      for: ["load", "conformance", "calibrate"],
      value: "NAME=ENVVAR",
      help: "additional request header, its value taken from an environment variable",
      repeatable: true,
    },
  ),
  caFile: setting(TEXT, {
    for: ["load", "conformance", "calibrate"],
    value: "file",
    help: "PEM file of certificates to trust in addition to the system's",
  }),
  insecure: setting(SWITCH, {
    for: ["load", "conformance", "calibrate"],
    help: "accept any TLS certificate (the report says so)",
  }),
};
