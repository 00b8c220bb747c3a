/** How services refuse requests: their statuses and bodies, for the model `assay-chat`. */

/** What a refusal is about. */
export type Cause = "model" | "key" | "context" | "page" | "member" | "path";

export interface Refusal {
  readonly service: string;
  readonly cause: Cause;
  readonly status: number;
  readonly body: string;
}

const error = (members: object): string => JSON.stringify({ error: members });
const NGINX = (status: string): string =>
  `<html>\r\n<head><title>${status}</title></head>\r\n<body>\r\n<center><h1>${status}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
const TYPE = { type: "invalid_request_error" };
const CONTEXT = "This model's maximum context length is 2048 tokens";

const OF_MODELS: readonly (readonly [string, number, string])[] = [
  [
    "OpenAI",
    404,
    error({
      ...TYPE,
      message: "The model `assay-chat` does not exist or you do not have access to it.",
      param: null,
      code: "model_not_found",
    }),
  ],
  [
    "OpenAI, of a project",
    403,
    error({
      ...TYPE,
      message: "Project `proj_1` does not have access to model `assay-chat`",
      param: null,
      code: "model_not_found",
    }),
  ],
  [
    "vLLM",
    404,
    error({ message: "The model `assay-chat` does not exist.", type: "NotFoundError", param: "model", code: 404 }),
  ],
  [
    "vLLM 0.6",
    404,
    JSON.stringify({
      object: "error",
      message: "The model `assay-chat` does not exist.",
      type: "NotFoundError",
      param: null,
      code: 404,
    }),
  ],
  [
    "LiteLLM",
    400,
    error({
      message:
        "/chat/completions: Invalid model name passed in model=assay-chat. Call `/v1/models` to view available models for your key.",
      type: "None",
      param: "None",
      code: "400",
    }),
  ],
  [
    "Ollama",
    404,
    error({
      message: 'model "assay-chat" not found, try pulling it first',
      type: "api_error",
      param: null,
      code: null,
    }),
  ],
  [
    "Azure",
    404,
    error({ code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." }),
  ],
  [
    "Mistral",
    400,
    JSON.stringify({
      object: "error",
      message: "Invalid model: assay-chat",
      type: "invalid_model",
      param: null,
      code: "1500",
    }),
  ],
  ["DeepSeek", 400, error({ ...TYPE, message: "Model Not Exist", param: null, code: "invalid_request_error" })],
];

const OF_KEYS: readonly (readonly [string, number, string])[] = [
  ["OpenAI", 401, error({ ...TYPE, message: "Incorrect API key provided: k.", param: null, code: "invalid_api_key" })],
  ["vLLM", 401, JSON.stringify({ error: "Unauthorized" })],
  [
    "LiteLLM",
    401,
    error({
      message: "Authentication Error, Invalid proxy server token passed.",
      type: "auth_error",
      param: "None",
      code: "401",
    }),
  ],
  ["llama.cpp", 401, error({ message: "Invalid API Key", type: "authentication_error", code: 401 })],
  [
    "LiteLLM's admin",
    403,
    error({ message: "key not allowed to access this route", type: "auth_error", param: "None", code: "403" }),
  ],
  ["Kong", 401, JSON.stringify({ message: "Unauthorized" })],
];

const OF_CONTEXTS: readonly (readonly [string, number, string])[] = [
  [
    "OpenAI",
    400,
    error({
      ...TYPE,
      message: `${CONTEXT}. Please reduce the length of the messages.`,
      param: "messages",
      code: "context_length_exceeded",
    }),
  ],
  [
    "vLLM",
    400,
    JSON.stringify({
      object: "error",
      message: `${CONTEXT}. However, you requested 2300 tokens`,
      type: "BadRequestError",
      param: null,
      code: 400,
    }),
  ],
  [
    "llama-cpp-python",
    400,
    error({
      ...TYPE,
      message: `${CONTEXT}. However, you requested 2300 tokens`,
      param: "messages",
      code: "context_length_exceeded",
    }),
  ],
  [
    "llama.cpp",
    400,
    error({
      code: 400,
      message: "the request exceeds the available context size, try increasing it",
      type: "exceed_context_size_error",
      n_ctx: 2048,
    }),
  ],
];

const OF_PAGES: readonly (readonly [string, number, string])[] = [
  ["nginx", 403, NGINX("403 Forbidden")],
  [
    "AWS WAF",
    403,
    "<html>\r\n<head><title>403 Forbidden</title></head>\r\n<body>\r\n<center><h1>403 Forbidden</h1></center>\r\n</body>\r\n</html>\r\n",
  ],
  [
    "Cloudflare",
    403,
    '<!DOCTYPE html>\n<html lang="en-US"><head><title>Attention Required! | Cloudflare</title></head><body>Sorry, you have been blocked</body></html>',
  ],
];

const OF_MEMBERS: readonly (readonly [string, number, string])[] = [
  [
    "OpenAI",
    400,
    error({
      ...TYPE,
      message: "Unsupported parameter: 'max_tokens' is not supported with this model.",
      param: "max_tokens",
      code: "unsupported_parameter",
    }),
  ],
  [
    "SGLang",
    400,
    JSON.stringify({
      object: "error",
      message: "this model: temperature 2 is not supported",
      type: "BadRequestError",
      param: null,
      code: 400,
    }),
  ],
  [
    "TGI",
    422,
    JSON.stringify({
      error: "Input validation error: `temperature` must be strictly positive",
      error_type: "validation",
    }),
  ],
];

const OF_PATHS: readonly (readonly [string, number, string])[] = [
  ["FastAPI", 404, JSON.stringify({ detail: "Not Found" })],
  ["Gin", 404, "404 page not found"],
  ["nginx", 404, NGINX("404 Not Found")],
];

const of = (cause: Cause, rows: typeof OF_MODELS): readonly Refusal[] =>
  rows.map(([service, status, body]) => ({ service, cause, status, body }));

export const REFUSALS: readonly Refusal[] = [
  ...of("model", OF_MODELS),
  ...of("key", OF_KEYS),
  ...of("context", OF_CONTEXTS),
  ...of("page", OF_PAGES),
  ...of("member", OF_MEMBERS),
  ...of("path", OF_PATHS),
];
