import { realpathSync } from "node:fs";
import type { Agent, AgentFacts, Unfit } from "../runner/agents/agent.ts";
import { chooseModel } from "./choose-model.ts";
import { createMcpServers, type McpServers, mcpPackage } from "./mcp/servers.ts";
import { charactersPerToken, windowOf } from "./model-limits.ts";
import { findProvider, type Provider } from "./providers.ts";
import { type Coder, createCoderSession } from "./session.ts";
import type { CoderSettings } from "./settings.ts";
import { ownToolNames } from "./tool-set.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Where the agent is inspected, before it has a worktree. */
interface Surroundings {
  readonly cwd: string;
  readonly env: Env;
  readonly signal: AbortSignal | undefined;
}

/** Our own agent: a model of any provider with Holdfast's context manager and tools. `given` is `<provider>/<model>`; without it the settings name one. */
export function createModelAgent(
  given: string,
  settings: CoderSettings,
  passed: readonly string[],
  { cwd, env, signal }: Surroundings,
): Agent {
  const named = given === "" ? (settings.model ?? "") : given;
  const [, name = "", model = ""] = /^([^/]+)\/(.+)$/s.exec(named) ?? [];
  const provider = findProvider(name, settings, env);
  const mcp = createMcpServers(settings.mcp);
  const noted = new Set<string>();
  const choose: Coder["model"] = (hints, onEvent) => {
    const { model: chosen, ignored } = chooseModel(name, model, hints);
    if (ignored !== undefined && !noted.has(ignored)) {
      noted.add(ignored);
      onEvent({
        type: "note",
        text: `the model "${ignored}" of this step is not one of ${name}, so ${chosen} is used`,
      });
    }
    return chosen;
  };
  return {
    name: `model:${named}`,
    can: { converse: true, compact: true, resume: true, stream: true, reportCost: false, ends: "called", obey: true },
    async inspect() {
      if (named === "")
        return { problem: "no model is named", next: "use --model <provider>/<model>, or set coder.model" };
      if (model === "") return { problem: "it names no model", next: "name one as <provider>/<model>" };
      if (provider === null) return unknownProvider(name, settings);
      const facts = await inspect(provider, env);
      if ("problem" in facts || settings.mcp === undefined) return facts;
      return (
        (await inspectMcp(mcp, provider, settings, { cwd, env, signal, passed })) ?? withNote(facts, mcp.summary())
      );
    },
    modelFor: (hints) => chooseModel(name, model, hints).model,
    open(options) {
      if (provider === null) throw new Error(`there is no provider ${name}`);
      return createCoderSession({ provider, model: choose, settings, passed, mcp }, options);
    },
  };
}

function unknownProvider(name: string, { providers = {} }: CoderSettings): Unfit {
  const known = ["anthropic", "openai", "ollama", "lmstudio", "vllm", ...Object.keys(providers)];
  const next = `use one of ${known.join(", ")}, or add yours to coder.providers in your settings`;
  return { problem: `there is no provider ${name}`, next };
}

async function inspect({ module, version, key }: Provider, env: Env): Promise<AgentFacts | Unfit> {
  const missing = await firstMissing(["ai", module]);
  if (missing !== null) {
    const problem = `it needs the packages ai and ${module} beside holdfast`;
    return { problem, next: `npm install ai@6 ${module}@${version}` };
  }
  if (key !== null && (env[key] ?? "") === "") {
    return { problem: `${key} is not set`, next: `set ${key} to your key, or name a model of another provider` };
  }
  return { version: undefined, pays: key === null ? "nobody: no key is sent" : `an API key (${key})` };
}

/** Null if all MCP servers can be used. The definitions of their tools may take a quarter of the window. */
async function inspectMcp(
  mcp: McpServers,
  provider: Provider,
  settings: CoderSettings,
  { cwd, env, signal, passed }: Surroundings & { readonly passed: readonly string[] },
): Promise<Unfit | null> {
  if ((await firstMissing([mcpPackage])) !== null) {
    const problem = `MCP servers in your settings need the package ${mcpPackage} beside holdfast`;
    return { problem, next: `npm install ${mcpPackage}@2` };
  }
  const characters = Math.floor((windowOf({ provider, settings }) / 4) * charactersPerToken);
  const limits = { own: ownToolNames, deny: settings.deny ?? [], characters };
  const place = { cwd: realpathSync(cwd), env, passed, signal: signal ?? new AbortController().signal };
  return mcp.inspect(limits, place);
}

function withNote(facts: AgentFacts, note: string | null): AgentFacts {
  return note === null ? facts : { ...facts, note };
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
