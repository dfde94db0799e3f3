import { contracts } from "./contracts.ts";

/** How an agent program is recognized. */
interface AgentMarks {
  /** What its processes are called, and its npm package. */
  readonly programs: readonly string[];
  /** The environment variables that are set in its shell. */
  readonly shellVariables: readonly RegExp[];
}

/** Agent programs that are no hosts of ours, but below which nobody is a person either. */
const otherAgents: readonly AgentMarks[] = [
  // Holdfast itself: everything that it runs for a workflow.
  { programs: [], shellVariables: [/^HOLDFAST_AGENT$/] },
  { programs: ["gemini", "@google/gemini-cli"], shellVariables: [/^GEMINI_CLI$/] },
  { programs: ["cursor-agent"], shellVariables: [/^CURSOR_AGENT$/] },
  { programs: ["qwen", "@qwen-code/qwen-code"], shellVariables: [/^QWEN_CODE$/] },
  { programs: ["amp", "@sourcegraph/amp"], shellVariables: [/^AMP_THREAD_ID$/] },
  { programs: ["aider"], shellVariables: [] },
  { programs: ["goose"], shellVariables: [/^GOOSE_TERMINAL$/] },
  { programs: ["crush", "@charmland/crush"], shellVariables: [/^CRUSH$/] },
  { programs: ["auggie", "@augmentcode/auggie"], shellVariables: [] },
];

function allAgents(): readonly AgentMarks[] {
  return [...Object.values(contracts), ...otherAgents];
}

/** The variable that tells that an agent runs this process; undefined if none is set. */
export function agentVariable(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return variableIn(Object.keys(env).filter((name) => env[name]));
}

function variableIn(names: readonly string[]): string | undefined {
  const patterns = allAgents().flatMap(({ shellVariables }) => shellVariables);
  return names.find((name) => patterns.some((pattern) => pattern.test(name)));
}

/** A process above this one. */
interface Ancestor {
  readonly names: readonly string[];
  readonly variables: readonly string[];
}

export interface AgentAbove<A> {
  readonly ancestor: A;
  /** The variable that gives it away; undefined if its name does. */
  readonly variable: string | undefined;
}

/** The nearest process that is an agent's, by its name or by what it was started with. */
export function agentAmong<A extends Ancestor>(ancestors: readonly A[]): AgentAbove<A> | undefined {
  const programs = new Set(allAgents().flatMap((agent) => agent.programs));
  for (const ancestor of ancestors) {
    if (ancestor.names.some((name) => programs.has(name))) return { ancestor, variable: undefined };
    const variable = variableIn(ancestor.variables);
    if (variable !== undefined) return { ancestor, variable };
  }
  return undefined;
}
