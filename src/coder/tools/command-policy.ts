import { shellWord } from "../../model/quote.ts";
import { commandsIn, type SimpleCommand, type Word } from "./command-line.ts";
import { type CommandPolicy, defaultPolicy } from "./default-policy.ts";
import { canLoseWork } from "./lossy-options.ts";
import { ruinIn } from "./ruin.ts";
import { programOf, unwrap } from "./unwrap-command.ts";

/** The defaults with the user's own entries, which replace equal ones. */
export function createPolicy(own: Partial<CommandPolicy>): CommandPolicy {
  return extend(defaultPolicy, own);
}

function extend(policy: CommandPolicy, own: Partial<CommandPolicy>): CommandPolicy {
  const named = new Set([...(own.allow ?? []), ...(own.ask ?? []), ...(own.deny ?? [])]);
  const join = (kind: keyof CommandPolicy) => [
    ...policy[kind].filter((entry) => !named.has(entry)),
    ...(own[kind] ?? []),
  ];
  return { allow: join("allow"), ask: join("ask"), deny: join("deny") };
}

export type CommandDecision =
  | "allow"
  /** `allowLine` is for the user's own configuration; null for what no entry allows. */
  | { readonly denied: string; readonly allowLine: string | null };

type Level = "read" | "edit" | "full";

/** Whether a command line may run. It is a seat belt: it stops accidents, not a program that wants to get out. */
export function decideCommand(policy: CommandPolicy, level: Level, line: string): CommandDecision {
  const refusal = refuse(policy, level, line);
  if (refusal === null) return "allow";
  const { denied, entries, needed } = refusal;
  // Some commands have no first words that an entry could name: then the whole line is the entry.
  const enough = [entries, [...needed, line.trim()]].find(
    (allow) => allow.length > 0 && refuse(extend(policy, { allow }), level, line) === null,
  );
  const allowLine = enough === undefined ? null : `coder: { allow: ${JSON.stringify([...new Set(enough)])} }`;
  return { denied, allowLine };
}

interface Refusal {
  readonly denied: string;
  /** What to allow, by the first words of commands. */
  readonly entries: readonly string[];
  /** Those of them that are denied, so that even allowing the whole line would not do. */
  readonly needed: readonly string[];
}

function refuse(policy: CommandPolicy, level: Level, line: string): Refusal | null {
  if (level === "read") return { denied: "this run may only read", entries: [], needed: [] };
  const lines = commandsIn(line)?.map(unwrap) ?? null;
  const commands = (lines ?? []).flatMap((each) => each.commands);
  const isHiding = lines === null || lines.some(({ mayHide }) => mayHide) || commands.some(isUnsure(policy));
  const hidden = isHiding ? startsIn(line) : [];
  const ruin = ruinIn([...commands, ...hidden]);
  if (ruin !== null) return { denied: ruin, entries: [], needed: [] };
  const verdicts = commands.map((command) => judge(policy, command));
  const certain = verdicts.filter(({ kind }) => kind === "deny").map(({ entry }) => entry);
  const needed = [...new Set([...certain, ...(isHiding ? deniedAnywhere(policy, commands, hidden) : [])])];
  const asked = verdicts.filter(({ kind }) => kind === "ask").map(({ entry }) => entry);
  const entries = [...needed, ...(level === "full" ? [] : asked)];
  if (needed.length > 0) return { denied: `denied: ${needed.join(", ")}`, entries, needed };
  if (level === "full" || policy.allow.includes(line.trim())) return null;
  if (lines === null || lines.some(({ isKnown }) => !isKnown))
    return { denied: "the command line is too intricate to be checked", entries: [], needed };
  return asked.length === 0 ? null : { denied: `not allowed: ${asked.join(", ")}`, entries, needed };
}

/** Every word of a line as if a command began there, without regard to quotes. */
function startsIn(line: string): readonly SimpleCommand[] {
  const texts = line.replace(/\\\n|['"\\]/g, "").split(/[\s;&|()<>`{},=]+|\$\(/);
  const words = texts.filter((text) => text !== "").map((text) => ({ text, isLiteral: false }));
  return words.map((_, index) => ({ words: words.slice(index), writesTo: [], sets: [] }));
}

/** The denied entries that a line may run, though it cannot be told: all their words are in it, in whatever order. */
function deniedAnywhere(
  policy: CommandPolicy,
  commands: readonly SimpleCommand[],
  hidden: readonly SimpleCommand[],
): readonly string[] {
  const words = new Set(hidden.flatMap((each) => [programOf(each.words), each.words[0]?.text ?? ""]));
  const unknown = commands.filter(({ words: [program] }) => program?.isLiteral === false);
  return policy.deny.filter((entry) => {
    const [, ...rest] = entry.split(/\s+/);
    const fits = rest.length > 0 && unknown.some((command) => follows(rest, command.words.slice(1), false));
    return fits || entry.split(/\s+/).every((word) => words.has(word));
  });
}

/** Whether a command is denied for some values of the variables and globs in it. */
function isUnsure(policy: CommandPolicy): (command: SimpleCommand) => boolean {
  return ({ words }) => {
    const [program, ...rest] = words;
    if (program?.isLiteral === false) return true;
    return policy.deny.some((entry) => {
      const [name, ...more] = entry.split(/\s+/);
      return name === programOf(words) && follows(more, rest, true);
    });
  };
}

interface Verdict {
  readonly kind: keyof CommandPolicy;
  readonly entry: string;
}

function judge(policy: CommandPolicy, command: SimpleCommand): Verdict {
  const { words, sets, writesTo } = command;
  const ranked = (["deny", "ask", "allow"] as const).flatMap((kind) =>
    policy[kind].filter((entry) => covers(entry.split(/\s+/), words, kind)).map((entry) => ({ kind, entry })),
  );
  const length = ({ entry }: Verdict) => entry.split(/\s+/).length;
  const best = ranked.reduce<Verdict | null>((a, b) => (a === null || length(b) > length(a) ? b : a), null);
  if (best?.kind === "deny") return best;
  const odd = sets.find((name) => !isHarmless(name));
  if (odd !== undefined) return { kind: "ask", entry: `${odd}=` };
  const file = writesTo.find((word) => !staysInside(word));
  if (file !== undefined) return { kind: "ask", entry: `> ${file.text}` };
  if (words.length === 0 || (programOf(words) === "cd" && words.slice(1).every(staysInside)))
    return { kind: "allow", entry: "" };
  if (best === null) return { kind: "ask", entry: suggest(words) };
  return best.kind === "allow" && canLoseWork(words, best.entry) ? { kind: "ask", entry: wordsOf(words) } : best;
}

/** A denial also sees a program by its path, and behind options such as `git -C folder push`. */
function covers(entry: readonly string[], words: readonly Word[], kind: keyof CommandPolicy): boolean {
  if (kind !== "deny")
    return entry.every((text, index) => words[index]?.isLiteral === true && words[index].text === text);
  if (programOf(words) !== entry[0]) return false;
  return follows(entry.slice(1), words.slice(1), false);
}

/** Whether the words begin with those of an entry, with options between them. */
function follows(entry: readonly string[], words: readonly Word[], anyValue: boolean): boolean {
  if (entry.length === 0) return true;
  const [word] = words;
  if (word === undefined) return false;
  const isNext = word.text === entry[0] || (anyValue && !word.isLiteral);
  if (isNext && follows(entry.slice(1), words.slice(1), anyValue)) return true;
  if (!word.text.startsWith("-")) return false;
  return follows(entry, words.slice(1), anyValue) || follows(entry, words.slice(2), anyValue);
}

/** Others may make a program load something, such as PATH, NODE_OPTIONS or GIT_EXTERNAL_DIFF. */
function isHarmless(name: string): boolean {
  return (
    /^(?:CI|DEBUG|NODE_ENV|NO_COLOR|FORCE_COLOR|TZ|LANG|LC_ALL|[a-z][a-z0-9_]*)$/.test(name) && !/proxy$/.test(name)
  );
}

function staysInside({ text, isLiteral }: Word): boolean {
  if (text === "/dev/null") return true;
  return isLiteral && !text.startsWith("/") && !/(^|\/)(\.\.|\.git|\.holdfast)(\/|$)/i.test(text);
}

const withSubcommands = new Set(["git", "npm", "npx", "pnpm", "yarn", "bun", "cargo", "go", "docker", "pip", "dotnet"]);

function suggest(words: readonly Word[]): string {
  const [program, next] = words;
  const isNamed = withSubcommands.has(program?.text ?? "") && next !== undefined && /^[a-z][\w:-]*$/.test(next.text);
  return isNamed ? `${program?.text} ${next.text}` : shellWord(program?.text ?? "");
}

function wordsOf(words: readonly Word[]): string {
  return words.map(({ text }) => shellWord(text)).join(" ");
}
