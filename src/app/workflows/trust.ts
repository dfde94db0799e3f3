import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { HoldfastError } from "../../errors.ts";
import type { Gate } from "../../model/gate.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Template } from "../../model/template.ts";
import type { Deps, No } from "../../operation/operation.ts";
import { appendLine, readTextIfExists } from "../../platform/files.ts";

/** Every command that a template may run, for a person to read before trusting it. */
export function commandsOf(template: Template): string[] {
  const subSteps = Object.values(template.loops ?? {}).flat();
  const gates = [...template.steps, ...subSteps].flatMap((step): Gate[] => ("gate" in step && step.gate) || []);
  const untils = template.steps.flatMap((step): Gate[] => (step.type === "ralph" && step.until) || []);
  const lists = template.critical_artifacts ?? {};
  const artifacts = [...(lists.always_load ?? []), ...(lists.conditional_load ?? [])];
  const own = artifacts.flatMap(({ command }) => (command === undefined ? [] : [commandText(command)]));
  const runs = [...gates, ...untils].flatMap((check) => ("run" in check ? [commandText(check.run)] : []));
  // A slash command belongs to the host: the agent is asked to run it, and we never do.
  return [...new Set([...runs, ...own.filter((command) => !command.startsWith("/"))])];
}

export function commandText(command: string | readonly string[]): string {
  return typeof command === "string"
    ? command
    : command.map((part) => (/^[\w./:=@%+,-]+$/.test(part) ? part : JSON.stringify(part))).join(" ");
}

export interface Untrusted extends No {
  readonly refusal: Extract<Refusal, { code: "template-untrusted" }>;
}

/** Null if the template may run its commands here. */
export async function checkTrust(
  deps: Deps,
  workflow: string,
  template: Template,
  hash: string,
): Promise<Untrusted | null> {
  const commands = commandsOf(template);
  if (commands.length === 0 || (await isTrusted(deps, hash))) return null;
  return { ok: false, refusal: { code: "template-untrusted", workflow, commands } };
}

export async function trust(deps: Deps, workflow: string, hash: string): Promise<void> {
  if ((await readTrusted(deps)).has(hash)) return;
  // One appended line per template: two processes at once lose neither.
  appendLine(join(deps.user.configFolder, fileName), JSON.stringify({ format: 1, hash, workflow, at: deps.now() }));
}

const TrustedLine = z.strictObject({ format: z.literal(1), hash: z.string(), workflow: z.string(), at: z.string() });
const fileName = "trusted.jsonl";

/** The parts of the user's own settings that are used here. */
const Config = z
  .looseObject({
    trust: z.literal("all").optional(),
    /** Programs that load artifacts of the type `skill` or `work_plugin`. */
    providers: z.record(z.string(), z.array(z.string()).min(1)).optional(),
    /** Folders outside the project that artifacts may be read from. */
    allow_outside: z.array(z.string().min(1)).optional(),
  })
  .nullable();

async function isTrusted({ user }: Deps, hash: string): Promise<boolean> {
  if ((await readTrusted({ user })).has(hash)) return true;
  return (await readUserSettings(user))?.trust === "all";
}

/** The user's own settings, which no project can change. */
export async function readUserSettings({ configFolder }: Deps["user"]): Promise<z.infer<typeof Config>> {
  const problem = 'it is no settings file: a map in YAML, where trust is "all" or left out';
  return readSettings(join(configFolder, "config.yaml"), Config, problem);
}

async function readTrusted({ user }: Pick<Deps, "user">): Promise<ReadonlySet<string>> {
  const file = join(user.configFolder, fileName);
  const lines = (readTextIfExists(file) ?? "").split("\n").filter((line) => line.trim() !== "");
  const problem = "it is not the list of trusted workflows";
  return new Set(lines.map((line) => readSetting(file, line, TrustedLine, problem).hash));
}

/** Null if there is no such file. */
async function readSettings<T>(file: string, schema: z.ZodType<T>, problem: string): Promise<T | null> {
  const text = readTextIfExists(file);
  return text === null ? null : readSetting(file, text, schema, problem);
}

/** JSON is YAML, so one reader serves both files. */
function readSetting<T>(file: string, text: string, schema: z.ZodType<T>, problem: string): T {
  const parsed = schema.safeParse(parseYaml(text));
  if (!parsed.success) throw new HoldfastError("state-broken", { file, problem });
  return parsed.data;
}

/** Returns a value that no schema accepts if the text is not YAML. */
function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof Error && error.name === "YAMLParseError") return undefined;
    throw error;
  }
}
