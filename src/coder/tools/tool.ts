import type * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import { systemProblem } from "../../platform/system-problem.ts";
import type { CommandPolicy } from "./default-policy.ts";

/** Something that the model can ask for. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly effect: "reads" | "writes" | "runs";
  /** Checks the input and the permissions itself, and answers everything that can go wrong. Throws only for a bug. */
  run(input: unknown, scene: ToolScene): Promise<ToolReply>;
}

/** What an agent may do without asking: read files; edit them and run commands by policy; run all but denied commands. */
export type PermissionLevel = "read" | "edit" | "full";

/** Where a tool works, and what it may do there. */
export interface ToolScene {
  /** The worktree: a real path. No file tool leaves it. */
  readonly root: string;
  /** A private folder outside the worktree for temporary files and caches of commands. The caller creates and removes it. */
  readonly scratch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly level: PermissionLevel;
  readonly policy: CommandPolicy;
  /** Globs of file names that the user's configuration denies, besides those that are always denied. */
  readonly deniedNames: readonly string[];
  /** Variables that no command gets, such as provider keys. */
  readonly hiddenVariables: readonly string[];
  /** Variables that commands get besides the usual ones, from `pass_env` in the user's configuration. */
  readonly passedVariables: readonly string[];
  /** Whether commands run in bubblewrap where it works. */
  readonly sandbox: boolean;
}

export interface ToolReply {
  readonly text: string;
  readonly isError?: true;
  /** What a person can write into their own configuration to allow it. */
  readonly denied?: string;
}

interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly effect: Tool["effect"];
  run(input: z.infer<Input>, scene: ToolScene): Promise<ToolReply> | ToolReply;
}

export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const { name, description, input, effect } = definition;
  return {
    name,
    description,
    input,
    effect,
    async run(given, scene) {
      if (scene.level === "read" && effect !== "reads") {
        return { ...problem(`${name} is not available: this run may only read`), denied: "--permissions edit" };
      }
      const parsed = input.safeParse(given);
      if (!parsed.success) return problem(`wrong input for ${name}: ${wordIssues(parsed.error)}`);
      try {
        return await definition.run(parsed.data, scene);
      } catch (error) {
        return answerError(error, scene);
      }
    },
  };
}

export function problem(text: string): ToolReply {
  return { text, isError: true };
}

function wordIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");
}

/** What the system refuses is an answer. The model knows paths as they are seen from the worktree. */
function answerError(error: unknown, { root }: ToolScene): ToolReply {
  const own = isHoldfastError(error, "file-unreadable") || isHoldfastError(error, "file-unwritable");
  const words = own ? `${error.data.file}: ${error.data.problem}` : systemProblem(error);
  if (words === null) throw error;
  return problem(words.replaceAll(`${root}/`, ""));
}
