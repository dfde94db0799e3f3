import { shellWord } from "../../model/quote.ts";
import { commandsIn, type SimpleCommand, type Word } from "./command-line.ts";

/**
 * What commands may run, by their first words: `npm run` also covers `npm run build`. The longest match wins; of two that
 * are as long, deny before ask before allow. What no entry covers is asked, which means denied while nobody is there.
 * An entry that is the whole command line covers that line alone.
 */
export interface CommandPolicy {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** Reading, building and testing. Whoever may run the project's tests can run any code, so this is no sandbox. */
const defaults: CommandPolicy = {
  allow: [
    ...[
      "cat",
      "cut",
      "basename",
      "dirname",
      "diff",
      "du",
      "echo",
      "false",
      "file",
      "grep",
      "head",
      "ls",
      "mkdir",
      "printf",
    ],
    ...[
      "pwd",
      "rg",
      "sleep",
      "sort",
      "stat",
      "tail",
      "test",
      "[",
      "touch",
      "tr",
      "true",
      "uniq",
      "wc",
      "which",
      "sed -n",
    ],
    ...[
      "git add",
      "git blame",
      "git branch",
      "git commit",
      "git diff",
      "git log",
      "git ls-files",
      "git mv",
      "git restore",
    ],
    ...["git rev-parse", "git rm", "git show", "git stash", "git status", "git switch"],
    ...["node", "npm ci", "npm ls", "npm run", "npm test", "npx tsc", "npx tsx", "npx vitest", "npx jest", "npx mocha"],
    ...["npx eslint", "npx prettier", "npx biome", "tsc", "pnpm run", "pnpm test", "yarn run", "yarn test", "bun test"],
    ...["pytest", "python -m pytest", "python3 -m pytest", "cargo build", "cargo check", "cargo clippy", "cargo test"],
    ...["go build", "go test", "go vet", "gofmt", "make", "mvn test", "gradle test", "./gradlew test", "dotnet test"],
  ],
  ask: [],
  deny: [
    ...["sudo", "doas", "su", "git push", "npm publish", "pnpm publish", "yarn publish", "cargo publish", "twine"],
    ...["shutdown", "reboot", "halt", "poweroff", "mkfs", "dd", "mount", "umount", "chroot", "crontab", "systemctl"],
    ...["holdfast", "npx holdfast"],
  ],
};

/** The defaults with the user's own entries, which replace equal ones. */
export function createPolicy(own: Partial<CommandPolicy>): CommandPolicy {
  const named = new Set([...(own.allow ?? []), ...(own.ask ?? []), ...(own.deny ?? [])]);
  const join = (kind: keyof CommandPolicy) => [
    ...defaults[kind].filter((entry) => !named.has(entry)),
    ...(own[kind] ?? []),
  ];
  return { allow: join("allow"), ask: join("ask"), deny: join("deny") };
}

export type CommandDecision =
  | "allow"
  /** `allowLine` is for the user's own configuration; null for what no entry allows. */
  | { readonly denied: string; readonly allowLine: string | null };

/** Whether a command line may run. It is a seat belt: it stops accidents, not a program that wants to get out. */
export function decideCommand(policy: CommandPolicy, level: "read" | "edit" | "full", line: string): CommandDecision {
  if (level === "read") return { denied: "this run may only read", allowLine: null };
  const commands = commandsIn(line)?.map(unwrap) ?? null;
  const ruin = commands === null ? null : ruinIn(commands);
  if (ruin !== null) return { denied: ruin, allowLine: null };
  const verdicts = (commands ?? []).flatMap((nested) => nested.commands.map((command) => judge(policy, command)));
  const denied = verdicts.find(({ kind }) => kind === "deny");
  if (denied !== undefined) return refuse(`${denied.entry} is denied`, [denied.entry]);
  if (level === "full" || policy.allow.includes(line.trim())) return "allow";
  if (commands === null || commands.some(({ isKnown }) => !isKnown))
    return refuse("the command line is too intricate to be checked", [line.trim()]);
  const asked = verdicts.filter(({ kind }) => kind === "ask").map(({ entry }) => entry);
  return asked.length === 0 ? "allow" : refuse(`not allowed: ${asked.join(", ")}`, asked);
}

function refuse(denied: string, entries: readonly string[]): CommandDecision {
  return { denied, allowLine: `coder: { allow: ${JSON.stringify([...new Set(entries)])} }` };
}

interface Unwrapped {
  /** False if a command that it starts cannot be told. */
  readonly isKnown: boolean;
  readonly commands: readonly SimpleCommand[];
}

const shells = new Set(["sh", "bash", "dash", "zsh", "ksh"]);
const wrappers = new Set(["env", "xargs", "nohup", "setsid", "nice", "time", "command", "exec", "timeout", "stdbuf"]);

/** A program that starts another one counts together with that. */
function unwrap(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const name = programOf(words);
  if (shells.has(name)) return unwrapShell(command);
  if (!wrappers.has(name))
    return {
      isKnown: name !== "find" || !words.some(({ text }) => /^-(exec|ok|delete|f)/.test(text)),
      commands: [command],
    };
  // Options may have values, so every word may be the program: it must be the first, or all are looked at for denials.
  const rest = words.slice(1).filter(({ text }) => !(name === "timeout" && /^\d+[smh]?$/.test(text)));
  const isPlain = rest[0] !== undefined && !rest[0].text.startsWith("-") && !rest[0].text.includes("=");
  const starts = isPlain ? [0] : rest.map((_, index) => index);
  const nested = starts.map((index) => unwrap({ words: rest.slice(index), writesTo: [], sets: [] }));
  return {
    isKnown: isPlain && nested.every(({ isKnown }) => isKnown),
    commands: [{ ...command, words: [] }, ...nested.flatMap(({ commands }) => commands)],
  };
}

function unwrapShell(command: SimpleCommand): Unwrapped {
  const [, option, script] = command.words;
  if (option?.text !== "-c" || script === undefined) return { isKnown: true, commands: [command] };
  const inner = script.isLiteral ? commandsIn(script.text) : null;
  if (inner === null) return { isKnown: false, commands: [command] };
  const nested = inner.map(unwrap);
  return {
    isKnown: nested.every(({ isKnown }) => isKnown),
    commands: [{ ...command, words: [] }, ...nested.flatMap(({ commands }) => commands)],
  };
}

function programOf(words: readonly Word[]): string {
  return (words[0]?.text ?? "").replace(/^.*\//, "").toLowerCase();
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
  return best ?? { kind: "ask", entry: suggest(words) };
}

/** A denial also sees a program by its path, and behind options such as `git -C folder push`. */
function covers(entry: readonly string[], words: readonly Word[], kind: keyof CommandPolicy): boolean {
  if (kind !== "deny")
    return entry.every((text, index) => words[index]?.isLiteral === true && words[index].text === text);
  if (programOf(words) !== entry[0]) return false;
  return follows(
    entry.slice(1),
    words.slice(1).map(({ text }) => text),
  );
}

function follows(entry: readonly string[], words: readonly string[]): boolean {
  if (entry.length === 0) return true;
  const [word] = words;
  if (word === undefined) return false;
  if (word === entry[0]) return follows(entry.slice(1), words.slice(1));
  return word.startsWith("-") && (follows(entry, words.slice(1)) || follows(entry, words.slice(2)));
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

const downloaders = new Set(["curl", "wget"]);
const everything = /^(?:\/\*?|\/[a-z]+\/?\*?|~\/?\*?|\$\{?HOME\}?\/?\*?|\.\.?\/?|(?:\.\.\/)+\*?)$/i;

/** What is refused whatever the policy says; null if it is nothing of that. */
function ruinIn(lines: readonly Unwrapped[]): string | null {
  const commands = lines.flatMap((each) => each.commands);
  const names = commands.map(({ words }) => programOf(words));
  const evaluates = (name: string) => shells.has(name) || ["eval", "source", "."].includes(name);
  if (names.some((name) => downloaders.has(name)) && names.some(evaluates))
    return "it downloads a script and runs it; download it to a file and look at it first";
  const removes = commands.some(
    ({ words }) =>
      programOf(words) === "rm" &&
      words.some(({ text }) => /^-[a-z]*r|^--recursive$/i.test(text)) &&
      words.slice(1).some(({ text }) => everything.test(text)),
  );
  return removes ? "it removes everything" : null;
}
