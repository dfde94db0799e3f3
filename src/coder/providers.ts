import type { LanguageModel } from "ai";
import type { ProviderOptions } from "../context/conversation/message.ts";
import { ownEntry } from "../model/json.ts";
import type { CoderSettings } from "./settings.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Where a model is asked. */
export interface Provider {
  /** The package that speaks its format. Only who uses the coder needs it. */
  readonly module: string;
  /** The version of that package that fits. */
  readonly version: number;
  /** The variable with the key; null if none is needed. */
  readonly key: string | null;
  readonly window: number;
  /** Beginnings of requests are kept, and cost little when they are sent again. */
  readonly caches: boolean;
  /** What goes with every request; `effort` is what the step asks for. */
  options(effort: string | undefined): ProviderOptions;
  open(model: string): Promise<LanguageModel>;
}

/** Programs that serve models on this machine, where they listen by default. */
const local: Readonly<Record<string, string>> = {
  ollama: "http://127.0.0.1:11434/v1",
  lmstudio: "http://127.0.0.1:1234/v1",
  vllm: "http://127.0.0.1:8000/v1",
};

/** The provider of this name; null if there is none. */
export function findProvider(name: string, { providers = {} }: CoderSettings, env: Env): Provider | null {
  const own = ownEntry(providers, name);
  if (own !== undefined) return compatible(name, own.base_url, own.key ?? null, env);
  if (name === "anthropic") return anthropic(env);
  if (name === "openai") return openai(env);
  const url = ownEntry(local, name);
  return url === undefined ? null : compatible(name, url, null, env);
}

function anthropic({ ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL }: Env): Provider {
  return {
    module: "@ai-sdk/anthropic",
    version: 3,
    key: "ANTHROPIC_API_KEY",
    window: 200_000,
    caches: true,
    options: (effort): ProviderOptions => (effort === undefined ? {} : { anthropic: { effort } }),
    async open(model) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey: ANTHROPIC_API_KEY ?? "", ...at(ANTHROPIC_BASE_URL) })(model);
    },
  };
}

function openai({ OPENAI_API_KEY, OPENAI_BASE_URL }: Env): Provider {
  return {
    module: "@ai-sdk/openai",
    version: 3,
    key: "OPENAI_API_KEY",
    window: 128_000,
    caches: true,
    // Nothing is kept at the provider: our own file has the conversation.
    options: (effort) => ({ openai: { store: false, ...(effort !== undefined && { reasoningEffort: effort }) } }),
    async open(model) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey: OPENAI_API_KEY ?? "", ...at(OPENAI_BASE_URL) })(model);
    },
  };
}

function compatible(name: string, baseURL: string, key: string | null, env: Env): Provider {
  return {
    module: "@ai-sdk/openai-compatible",
    version: 2,
    key,
    window: 32_000,
    caches: false,
    options: (effort): ProviderOptions => (effort === undefined ? {} : { [name]: { reasoningEffort: effort } }),
    async open(model) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const apiKey = key === null ? undefined : env[key];
      return createOpenAICompatible({ name, baseURL, includeUsage: true, ...(apiKey !== undefined && { apiKey }) })(
        model,
      );
    },
  };
}

/** Other programs take the address without the version. */
function at(url: string | undefined): { readonly baseURL?: string } {
  if (url === undefined || url === "") return {};
  const trimmed = url.replace(/\/+$/, "");
  return { baseURL: trimmed.endsWith("/v1") ? trimmed : `${trimmed}/v1` };
}
