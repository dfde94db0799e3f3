import { join } from "node:path";
import * as z from "zod";
import { HoldfastError } from "../../errors.ts";
import { commandText } from "../../model/command-text.ts";
import type { Gate } from "../../model/gate.ts";
import { parseJson } from "../../model/json.ts";
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

/** What a person is asked, with every command that they would trust. */
export function trustQuestion(workflow: string, template: Template): string {
  const list = commandsOf(template).map((command) => `  ${command}\n`);
  return `The workflow "${workflow}" runs these commands:\n${list.join("")}Trust it?`;
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
  const line = JSON.stringify({ format: 1, hash, workflow, at: deps.now() });
  appendLine(join(deps.user.configFolder, fileName), line, { follows: true });
}

const TrustedLine = z.strictObject({ format: z.literal(1), hash: z.string(), workflow: z.string(), at: z.string() });
const fileName = "trusted.jsonl";

async function isTrusted({ user }: Deps, hash: string): Promise<boolean> {
  if ((await readTrusted({ user })).has(hash)) return true;
  const { readUserSettings } = await import("./user-settings.ts");
  return (await readUserSettings(user))?.trust === "all";
}

async function readTrusted({ user }: Pick<Deps, "user">): Promise<ReadonlySet<string>> {
  const file = join(user.configFolder, fileName);
  const lines = (readTextIfExists(file) ?? "").split("\n").filter((line) => line.trim() !== "");
  return new Set(
    lines.map((line) => {
      const trusted = TrustedLine.safeParse(parseJson(line));
      if (trusted.success) return trusted.data.hash;
      throw new HoldfastError("state-broken", { file, problem: "it is not the list of trusted workflows" });
    }),
  );
}
