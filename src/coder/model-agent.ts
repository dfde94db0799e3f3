import type { Agent, AgentFacts } from "../runner/agents/agent.ts";
import { findProvider, type Provider } from "./providers.ts";
import { createCoderSession } from "./session.ts";
import type { CoderSettings } from "./settings.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Our own agent: a model of any provider with Holdfast's context manager and tools. `given` is `<provider>/<model>`; without it the settings name one. */
export function createModelAgent(given: string, settings: CoderSettings, passed: readonly string[], env: Env): Agent {
  const named = given === "" ? (settings.model ?? "") : given;
  const [, name = "", model = ""] = /^([^/]+)\/(.+)$/s.exec(named) ?? [];
  const provider = findProvider(name, settings, env);
  return {
    name: `model:${named}`,
    can: { converse: true, compact: true, resume: true, stream: true, reportCost: false, ends: "called", obey: true },
    async inspect() {
      if (named === "")
        return "no model is named: use --model <provider>/<model>, or coder: { model: ... } in your settings";
      if (model === "") return "a model is named as <provider>/<model>, for example anthropic/<name>";
      return provider === null ? unknownProvider(name, settings) : inspect(provider, env);
    },
    open(options) {
      if (provider === null) throw new Error(`there is no provider ${name}`);
      return createCoderSession({ provider, model, settings, passed }, options);
    },
  };
}

function unknownProvider(name: string, { providers = {} }: CoderSettings): string {
  const known = ["anthropic", "openai", "ollama", "lmstudio", "vllm", ...Object.keys(providers)];
  return `there is no provider ${name}; known are ${known.join(", ")}, and others can be named in your settings`;
}

async function inspect({ module, version, key }: Provider, env: Env): Promise<AgentFacts | string> {
  const missing = await firstMissing(["ai", module]);
  if (missing !== null)
    return `it needs the packages ai and ${module} beside holdfast: npm install ai@6 ${module}@${version}`;
  if (key !== null && (env[key] ?? "") === "") return `${key} is not set`;
  return { version: undefined, pays: key === null ? "nobody: no key is sent" : `an API key (${key})` };
}

async function firstMissing(modules: readonly string[]): Promise<string | null> {
  for (const module of modules) {
    try {
      import.meta.resolve(module);
    } catch {
      return module;
    }
  }
  return null;
}
