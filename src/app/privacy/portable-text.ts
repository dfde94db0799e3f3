import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { runProjectRoot } from "../../journal/outputs.ts";
import type { Command } from "../../model/command.ts";
import type { VariableValue } from "../../model/ids.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Deps } from "../../operation/operation.ts";
import type { Roots } from "../../platform/roots.ts";

/** The paths and environment of this machine, which must not leave it in a text. */
export interface Machine {
  readonly roots: Roots;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Makes a program's output portable: without this machine's paths and secrets, and without terminal codes. */
export function portableText(deps: Deps, projectRoot: string, text: string): string {
  return applyReplacements(plainText(text), replacementsFor(machineOf(deps), projectRoot));
}

/** Replaces this machine's paths and secrets in all strings of a value, except in ids. */
export function portableValue<T>(machine: Machine, projectRoot: string, value: T): T {
  return replacedIn(value, replacementsFor(machine, projectRoot));
}

/** Replaces only secrets, for what is shown on this machine. */
export function withoutSecrets<T>(env: Machine["env"], value: T): T {
  return replacedIn(value, secretsIn(env));
}

function replacedIn<T>(value: T, replacements: readonly Replacement[]): T;
function replacedIn(value: unknown, replacements: readonly Replacement[]): unknown {
  if (typeof value === "string") return applyReplacements(value, replacements);
  if (Array.isArray(value)) return value.map((part) => replacedIn(part, replacements));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, part]) => [name, name === "id" ? part : replacedIn(part, replacements)]),
  );
}

export function machineOf({ roots, user, caller }: Deps): Machine {
  return { roots, home: user.home, env: caller.env };
}

interface Replacement {
  readonly from: string;
  readonly pattern: () => RegExp | string;
  readonly to: string;
}

/** Cached by environment and folders: building them costs more than applying them. */
function replacementsFor({ roots, home, env }: Machine, projectRoot: string): readonly Replacement[] {
  const byRoots = cache.get(env) ?? new Map<string, readonly Replacement[]>();
  cache.set(env, byRoots);
  const key = `${roots.stateRoot}\0${roots.projectRoot}\0${projectRoot}\0${home}`;
  const replacements =
    byRoots.get(key) ?? buildReplacements(new Set([roots.stateRoot, roots.projectRoot, projectRoot]), home, env);
  byRoots.set(key, replacements);
  return replacements;
}

const cache = new WeakMap<Machine["env"], Map<string, readonly Replacement[]>>();

function buildReplacements(places: ReadonlySet<string>, home: string, env: Machine["env"]): readonly Replacement[] {
  const linked = [...places].flatMap((place) => linkedPaths(place, env.PWD));
  const replacements = [
    ...[...new Set([...places, ...linked])].flatMap((place) => pathReplacements(place, "{project_root}")),
    ...homesOf(home).flatMap((place) => pathReplacements(place, "~")),
    ...secretsIn(env),
  ];
  return replacements.sort(longestFirst);
}

/** The project may be inside the user's home. */
function longestFirst(a: Replacement, b: Replacement): number {
  return b.from.length - a.from.length;
}

function secretsIn(env: Machine["env"]): Replacement[] {
  const secrets = Object.entries(env).flatMap(([name, value]) => secretReplacements(name, value ?? ""));
  return secrets.sort(longestFirst);
}

function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  let replaced = text;
  for (const { from, pattern, to } of replacements) {
    if (replaced.includes(from)) replaced = replaced.replaceAll(pattern(), () => to);
  }
  return withoutKnownKeys(replaced);
}

/** The path of a folder as a shell shows it that entered it, or a folder in it, through a link. */
function linkedPaths(place: string, entered: string | undefined): string[] {
  if (entered === undefined || !isAbsolute(entered) || !existsSync(entered)) return [];
  const within = relative(place, realpathSync(entered));
  if (within === "") return [entered];
  return !within.startsWith("..") && entered.endsWith(sep + within) ? [entered.slice(0, -within.length - 1)] : [];
}

/** The home folder as configured and as a real path, both without a trailing slash. */
function homesOf(home: string): string[] {
  const named = home.replace(/[\\/]+$/, "");
  return [...new Set([named, existsSync(named) ? realpathSync(named) : named])];
}

/** Matches a folder as a path and as a URL, but not as a prefix of another name: `/app` is not in `/application`. */
function pathReplacements(path: string, to: string): Replacement[] {
  if (path.length < 2) return [];
  const spellings = new Set([path, pathToFileURL(path).pathname]);
  return [...spellings].map((from) => {
    const source = `${escaped(from)}(?![\\p{L}\\p{N}_-])`;
    // Most texts have no such path, and building the pattern is expensive.
    return { from, pattern: () => new RegExp(source, "gu"), to };
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function secretReplacements(name: string, value: string): Replacement[] {
  // Most variables have neither the name of a secret nor a URL with a password.
  if (!secretName.test(name) && !value.includes("@")) return [];
  const given = plainText(value).trim();
  const secrets = [...(secretName.test(name) ? [given] : []), ...passwordsIn(given)];
  return secrets
    .filter((secret) => secret.length >= secretLength)
    .flatMap((secret) => {
      if (isOrdinary(secret, given)) return wordReplacements(name, secret);
      return secretForms(secret).map((from) => ({ from, pattern: () => from, to: "***" }));
    });
}

/** The usual password of a database for development, or the name of its user or its own: people write it, and mean no secret. */
function isOrdinary(secret: string, given: string): boolean {
  if (ordinaryWords.test(secret)) return true;
  return given !== secret && /^[a-z]+$/i.test(secret) && given.replace(`:${secret}@`, "@").includes(secret);
}

const ordinaryWords = /^(?:postgres|postgresql|rabbitmq|password|changeme|development)$/i;

/** Only where it is said to be the secret: in a URL, and behind the name of its variable. */
function wordReplacements(name: string, word: string): Replacement[] {
  const behindName = `(?<=${escaped(name)}\\\\*["']?\\s*(?:=>|:?=|:)\\s*\\\\*["']?)${word}(?![A-Za-z])`;
  return [
    { from: `:${word}@`, pattern: () => `:${word}@`, to: ":***@" },
    { from: name, pattern: () => new RegExp(behindName, "g"), to: "***" },
  ];
}

/** All but tabs and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be found; a class such as \p{Cc} takes long to build
const controlCharacters = /[\0-\x08\x0B-\x1F\x7F-\x9F]/g;

function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(/\r\n?/g, "\n").replace(controlCharacters, "");
}

/** Names of environment variables whose values are secrets. */
const secretName = /(?:^|_)(?:API)?KEY(?:_|$)|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;
const secretLength = 8;

/** The spellings of a secret that must not be stored: as it is, in Base64 and in a URL. */
function secretForms(secret: string): readonly string[] {
  const forms = new Set([secret, encodeURIComponent(secret), ...base64Forms(secret)]);
  return [...forms].filter((form) => form.length >= secretLength);
}

/** The password of a URL such as that of a database, as it is written and as it is meant. */
function passwordsIn(value: string): string[] {
  const [, written] = /^[a-z][a-z0-9+.-]*:\/\/[^:@/?#]*:([^@/?#]+)@/i.exec(value) ?? [];
  if (written === undefined) return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    // A lone percent sign is a part of the password.
    return [written];
  }
}

/**
 * How a text appears in Base64, also in the middle of a longer text: three bytes become four characters, so it has three
 * forms. The characters at both ends, which also depend on its neighbours, are left out.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((whole.length * 8) / 6);
    const usual = whole.toString("base64").slice(first, last);
    return [usual, usual.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Keys of known providers, by their shape, wherever they come from. */
const keyShapes = [
  "sk-[A-Za-z0-9_-]{20,}",
  "gh[pousr]_[A-Za-z0-9]{30,}",
  "github_pat_[A-Za-z0-9_]{30,}",
  "glpat-[A-Za-z0-9_-]{20,}",
  "AKIA[A-Z0-9]{16}",
  "AIza[A-Za-z0-9_-]{30,}",
  "xox[abprs]-[A-Za-z0-9-]{20,}",
  "npm_[A-Za-z0-9]{30,}",
];

const keyShape = new RegExp(`(?<![A-Za-z0-9_-])(?:${keyShapes.join("|")})`, "g");

/** A text without the keys that are recognized by their shape. */
function withoutKnownKeys(text: string): string {
  return text.replace(keyShape, "***");
}

type Field<C> = C extends C ? keyof C : never;

/** The fields with free text; all others are names, tokens or numbers. */
const freeTextFields = [
  "output",
  "summary",
  "request",
  "reason",
  "feedback",
  "question",
  "answer",
  "tasks",
  "edits",
  "variables",
  "seat",
  "text",
] as const satisfies readonly Field<Command>[];

/** Makes a command's texts portable: they go into the journal, and the journal may move to other machines. */
export function portableCommand<C extends Command>(deps: Deps, run: StartedRun | null, command: C): C {
  const projectRoot = run === null ? deps.roots.projectRoot : runProjectRoot(deps.roots, run);
  const machine = machineOf(deps);
  let portable = command;
  for (const name of freeTextFields) {
    const value: unknown = Reflect.get(command, name);
    if (value === undefined) continue;
    const clean = portableValue(machine, projectRoot, value);
    // Usually nothing has to be replaced in a text, so the command is not copied.
    if (clean !== value)
      portable = { ...portable, [name]: name === "variables" ? withinLimits(clean as Variables) : clean };
  }
  return portable;
}

type Variables = Readonly<Record<string, VariableValue>>;

/** A placeholder may be longer than what it replaces, and a variable has a maximum length. */
function withinLimits(variables: Variables): Variables {
  const cut = (value: VariableValue) => (typeof value === "string" ? value.slice(0, 10_000) : value);
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, cut(value)]));
}
