/** How to reach the service and what to name its models. Runs in Node and inside k6. */

import { OWN_HEADER_NAMES } from "../contract/own-headers.ts";
import { inGroup, settingFor } from "./setting.ts";
import { ADDRESS, FILE, HEADERS, RESOLVE, SWITCH, someOf, text } from "./values.ts";

const connection = settingFor("init", "load", "search", "conformance", "calibrate", "clean-up");
const reach = settingFor("init", "load", "search", "conformance", "calibrate", "clean-up", "doctor", "proxy");

export const CONNECTION_SETTINGS = inGroup("Connection", {
  target: reach(ADDRESS, "base address of the service, to which /v1/… is added", { concerns: "target" }),
  chatModel: settingFor(
    "init",
    "load",
    "search",
    "conformance",
    "calibrate",
  )(text("name"), "model of chat requests", {
    default: "assay-chat",
    concerns: "target",
    perWorkload: true,
  }),
  embeddingModel: settingFor(
    "init",
    "load",
    "search",
    "conformance",
  )(text("name"), "model of embedding requests", {
    default: "assay-embedding",
    concerns: "target",
    perWorkload: true,
  }),
  videoModel: settingFor("load", "search", "conformance")(text("name"), "model of video requests", {
    default: "assay-video",
    concerns: "target",
    perWorkload: true,
  }),
  header: connection(HEADERS, "additional request header, its value taken from an environment variable", {
    repeatable: true,
    concerns: "target",
    perWorkload: true,
  }),
  withoutHeader: connection(
    { ...someOf("name", ...OWN_HEADER_NAMES), form: "texts" },
    "leave out a header that Assay adds, for a target that refuses it: user-agent, accept, accept-encoding or x-request-id",
    { repeatable: true, concerns: "target" },
  ),
  caFile: reach(FILE, "PEM file of certificates to trust in addition to the system's", { concerns: "machine" }),
  clientCert: reach(FILE, "PEM file of the certificate to show to a target that asks for one (mTLS)", {
    concerns: "machine",
  }),
  clientKey: reach(FILE, "PEM file of the private key of --client-cert", {
    concerns: "machine",
    defaultNote: "the file of --client-cert",
  }),
  resolve: reach(
    RESOLVE,
    "connect to this address for a name and a port, as curl does, such as api.example.com:443:10.0.0.7",
    {
      concerns: "machine",
      repeatable: true,
    },
  ),
  insecure: reach(SWITCH, "accept any TLS certificate (the report says so)", { concerns: "machine" }),
});
