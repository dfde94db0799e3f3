import { commandText, isHostCommand } from "../command-text.ts";
import type { VariableValue } from "../ids.ts";
import { isRecord } from "../json.ts";
import type { Template } from "../template.ts";
import { commandIn } from "../variables/command-in.ts";
import { declarationsOf } from "../variables/declared.ts";
import { type CoveredField, type CoveredKind, coveredFields, pathSteps, timeouts } from "./covered-fields.ts";

type Values = Readonly<Record<string, VariableValue>>;
type Command = string | readonly string[];

/** One thing that a person's trust covers. */
export interface CoveredPart {
  readonly kind: CoveredKind | "received";
  /** The step, `loop/sub-step`, artifact, agent, variable or run that it belongs to. */
  readonly at: string;
  /** What is executed, or what is granted. Null for a variable that gets its value at the start. */
  readonly what: Command | null;
  readonly timeout: string | null;
  /** The variable that holds the command. */
  readonly variable: string | null;
  /** Set for a command that may run again by itself after it was interrupted. */
  readonly repeatable?: true;
  /** Set for what a step grants to whoever works on it; without it, an agent has it. */
  readonly of?: "step";
}

/** What an agent is told to use. It is shown to a person, but executes nothing by itself. */
export function isGrant({ kind }: CoveredPart): boolean {
  return kind === "tools" || kind === "permissions" || kind === "model";
}

/** What a template executes and grants with these values of its variables. */
export function coverOf(template: Template, values: Values): readonly CoveredPart[] {
  const found = coveredFields.flatMap((field) =>
    valuesAt(template, pathSteps(field.path), []).flatMap((each) => partsOf(template, values, field, each)),
  );
  const used = new Set(found.map(({ variable }) => variable));
  return [...found, ...variableParts(template, values).filter(({ variable }) => !used.has(variable))];
}

/** A run from elsewhere brings the values of its command variables along, so a person confirms them for this run. */
export function coverOfReceived(template: Template, values: Values, runId: string): readonly CoveredPart[] {
  const cover = coverOf(template, values);
  if (cover.every(({ variable }) => variable === null)) return cover;
  return [...cover, { kind: "received", at: runId, what: null, timeout: null, variable: null }];
}

/** Whether a person has to be asked: grants alone need nobody's trust, but are asked about again with the rest. */
export function needsTrust(cover: readonly CoveredPart[]): boolean {
  return !cover.every(isGrant);
}

/** Every command, once, as a person reads it. */
export function commandsIn(cover: readonly CoveredPart[]): string[] {
  const commands = cover.filter((part) => !isGrant(part) && part.what !== null);
  return [...new Set(commands.map(({ what }) => commandText(what ?? "")))];
}

/** One line for each part. A command of several lines is indented, so that none of them looks like another part. */
export function coverLines(cover: readonly CoveredPart[]): string[] {
  return cover.map(lineOf);
}

/** The command comes last, so that nothing after it looks like a part of it. */
function lineOf({ kind, at, what, timeout, variable, repeatable, of }: CoveredPart): string {
  const again = repeatable ? ", repeatable" : "";
  const limit = timeout === null ? "" : `, at most ${timeout}${again}`;
  const source = variable === null || kind === "variable" ? "" : `, from ${variable}`;
  const command = what === null ? "given at the start" : commandText(what).replaceAll("\n", "\n      ");
  switch (kind) {
    case "gate":
    case "until":
    case "tasks":
      return `${kind} of ${at}${limit}${source}: ${command}`;
    case "step":
    case "artifact":
    case "variable":
      return `${kind} ${at}${limit}${source}: ${command}`;
    case "tools":
    case "permissions":
    case "model":
      return `${kind} of ${of ?? "the agent"} ${at}: ${[what ?? []].flat().join(", ")}`;
    case "received":
      return `run ${at}: it came from elsewhere, with the values of its variables`;
  }
}

/** Whether a command is one of those that trust covers. */
export function covers(cover: readonly CoveredPart[], command: Command): boolean {
  const wanted = JSON.stringify(command);
  return cover.some((part) => !isGrant(part) && JSON.stringify(part.what) === wanted);
}

/** A value in the template, the keys around it up to the next list or map of names, and the ids on the way to it. */
interface Found {
  readonly value: unknown;
  readonly owner: Readonly<Record<string, unknown>>;
  readonly ids: readonly string[];
}

function valuesAt(
  value: unknown,
  path: readonly string[],
  ids: readonly string[],
  around: Found["owner"] = {},
): Found[] {
  const [step, ...rest] = path;
  if (step === "[]") {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return items.flatMap((item) =>
      valuesAt(item, rest, isRecord(item) && typeof item.id === "string" ? [...ids, item.id] : ids),
    );
  }
  if (!isRecord(value) || step === undefined) return [];
  if (step === "{}") return Object.entries(value).flatMap(([key, item]) => valuesAt(item, rest, [...ids, key]));
  const inner = Object.hasOwn(value, step) ? value[step] : undefined;
  if (inner === undefined) return [];
  const owner = { ...around, ...value };
  return rest.length === 0 ? [{ value: inner, owner, ids }] : valuesAt(inner, rest, ids, owner);
}

function partsOf(template: Template, values: Values, field: CoveredField, { value, owner, ids }: Found): CoveredPart[] {
  const { kind } = field;
  // A map names the variable that holds the command, which is a field of its own.
  if (isRecord(value)) return [];
  const part = { kind, at: ids.join("/"), what: asCommand(value), timeout: null, variable: null };
  switch (kind) {
    case "step":
    case "tasks":
    case "gate":
    case "until": {
      const timeout = typeof owner.timeout === "string" ? owner.timeout : timeouts.command;
      const again = owner.repeatable === true && { repeatable: true as const };
      if (!field.path.endsWith(".command")) return [{ ...part, timeout, ...again }];
      const variable = String(value);
      return [{ ...part, what: commandIn(template, values, variable), timeout, variable }];
    }
    case "artifact":
      return isHostCommand(part.what) ? [] : [{ ...part, timeout: timeouts.artifact }];
    case "tools":
    case "permissions":
    case "model":
      return [{ ...part, ...(!field.path.startsWith("agents") && { of: "step" as const }) }];
    case "variable":
      // A variable is covered with the value that the run has; see `variableParts`.
      return [];
  }
}

/** The command variables. They are covered even if nothing executes them yet: a run keeps them. */
function variableParts(template: Template, values: Values): CoveredPart[] {
  return declarationsOf(template).flatMap(([name, { type }]) => {
    if (type !== "command") return [];
    return [{ kind: "variable", at: name, what: commandIn(template, values, name), timeout: null, variable: name }];
  });
}

/** The schema admits no other value in a covered field. */
function asCommand(value: unknown): Command {
  return Array.isArray(value) ? value.map(String) : String(value);
}
