import { isAbsolute, join, normalize } from "node:path";
import { type Document, isScalar, LineCounter, parseDocument, visit } from "yaml";
import * as z from "zod";
import { isHoldfastError } from "../errors.ts";
import { CriticalArtifacts } from "../model/artifact.ts";
import { parseCondition } from "../model/condition/condition.ts";
import { parseMemberPath } from "../model/condition/member-path.ts";
import { isProjectName, projectNameRule } from "../model/written/project-name.ts";
import { readBytesNow } from "../platform/files.ts";
import { stateFolder } from "../platform/links.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import { defaultSettings, type Settings, shows, sources } from "./settings.ts";

const settingsFile = "config.yaml";

const onOff = z.union([z.boolean(), z.enum(["on", "off"])]).transform((value) => value === true || value === "on");
const text = z.string().min(1);
/** Names, patterns or words that every hook looks for. */
const soughtAfter = z.array(text.max(500, "must have at most 500 characters")).max(50, "must have at most 50");
const inside = text
  .refine((path) => !isAbsolute(path) && !/^\.\.?(?:[/\\]|$)/.test(normalize(path)), "must be inside the project")
  .refine((path) => !ofGit.test(path.replace(ignored, "")), "must not be a folder of git")
  .refine((path) => !ofHoldfast.test(normalize(path)), "must not be a folder that Holdfast uses for something else");

/**
 * What is written there could be taken for a branch, a hook or a setting of git. Some file systems know no case, drop dots and spaces at
 * the end, have a second, short name for each folder, or ignore invisible characters.
 */
const ofGit = /(?:^|[/\\])(?:\.git|git~\d+)[. ]*(?:[/\\]|$)/i;
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const ofHoldfast = /^\.holdfast[. ]*(?:[/\\]*$|[/\\]+(?:runs|sessions|cache|installed|workflows)[. ]*(?:[/\\]|$))/i;

/** There is no setting for the database itself: a project must not direct anybody's runs to one. */
const shared = {
  store: z.literal("postgres", "must be postgres, or left out for files").optional(),
  project: z.string().refine(isProjectName, projectNameRule).optional(),
};

const Config = z.strictObject({
  ...shared,
  cards: z.union([onOff, z.strictObject({ folder: inside })]).optional(),
  handoff: z
    .strictObject({
      limit: z.int().min(1_000).max(10_000).optional(),
      show: z.partialRecord(z.enum(sources), z.enum(shows)).optional(),
    })
    .optional(),
  tracked: z
    .union([
      onOff,
      z.strictObject({
        local: soughtAfter.optional(),
        plans: soughtAfter.optional(),
        markers: soughtAfter.optional(),
      }),
    ])
    .optional(),
  critical_artifacts: CriticalArtifacts.optional(),
  hostname: onOff.optional(),
  patience_seconds: z.number().positive().max(3_600).optional(),
});

export type ReadSettings =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problem: string; readonly namesStore?: boolean };

/** Reads `.holdfast/config.yaml`, which must exist: the settings, or what is wrong with the file. */
export function readSettings(stateRoot: string): ReadSettings {
  const source = readSource(join(stateRoot, stateFolder, settingsFile));
  if (typeof source !== "string") return source;
  const settings = settingsIn(source);
  if (typeof settings !== "string") return { ok: true, settings };
  return { ok: false, problem: settings, namesStore: /^\s*["']?store["']?\s*:/m.test(source) };
}

/** The settings, or what is wrong with them. */
function settingsIn(source: string): Settings | string {
  const read = parseYaml(source);
  if (!read.ok) return read.problem;
  const parsed = Config.safeParse(read.value ?? {});
  if (parsed.success) {
    const { critical_artifacts: critical = {}, store, project } = parsed.data;
    if (store !== undefined && project === undefined) return "project: is required with a shared store";
    return findBadText(critical, read.positionOf) ?? settingsOf(parsed.data);
  }
  const issue = innerIssue(parsed.error.issues[0]);
  return clip(`${issue?.path.join(".") || "the file"}: ${issue?.message ?? "is invalid"}`);
}

/** A file of thousands of unknown keys would be told in full. */
function clip(problem: string): string {
  return problem.length <= longestProblem ? problem : `${problem.slice(0, longestProblem)}...`;
}

const longestProblem = 300;

/** What is wrong within a section that may also be on or off. */
function innerIssue(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  const inner = issue?.code === "invalid_union" ? issue.errors.flat().find(({ path }) => path.length > 0) : undefined;
  return issue === undefined || inner === undefined ? issue : { ...inner, path: [...issue.path, ...inner.path] };
}

function readSource(file: string) {
  try {
    return Buffer.from(readBytesNow(file, sizeLimits.settings)).toString("utf8");
  } catch (error) {
    if (!isHoldfastError(error, "file-unreadable")) throw error;
    return { ok: false, problem: error.data.problem } as const;
  }
}

function parseYaml(source: string) {
  const lineCounter = new LineCounter();
  // The parser would compare each key with all others: a file of some thousand keys would hold up every hook for seconds.
  const document = parseDocument(source, { lineCounter, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) return { ok: false, problem: firstLine(error) } as const;
  const repeated = repeatedKey(document);
  if (repeated !== null) return { ok: false, problem: `the key "${repeated}" occurs twice` } as const;
  /** Line and column of a place in a text; those of the whole text if it is spelt differently in the file. */
  const positionOf = (path: Path, text: string, offset: number) => {
    const node = document.getIn(path, true);
    // The text may come from an alias, and then it is elsewhere in the file.
    if (!isScalar(node)) return "";
    const [start, end] = node.range ?? [0, 0];
    const spelt = source.slice(start, end).indexOf(text);
    const { line, col } = lineCounter.linePos(spelt === -1 ? start : start + spelt + offset);
    return `line ${line}, column ${col}: `;
  };
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: 10 }) as unknown, positionOf } as const;
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { ok: false, problem: firstLine(error) } as const;
  }
}

function repeatedKey(document: Document): string | null {
  let repeated: string | null = null;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) repeated ??= String(name);
        seen.add(name);
      }
    },
  });
  return repeated;
}

type Path = readonly (string | number)[];

/** Without the colon before the piece of the file that the parser shows below. */
function firstLine(error: Error): string {
  return error.message.split("\n", 1)[0]?.replace(/:$/, "") ?? "it is no YAML";
}

/** The texts of an artifact that are a small language of their own, and what is allowed in them. */
const languages = [
  ["condition", parseCondition, "a condition compares values of state, run and variables, like variables.depth > 1"],
  ["path_from_state", parseMemberPath, "a path names a value of the run's state, like artifacts.plan or files[0]"],
  ["select", parseMemberPath, "a path names a value of the file, like tasks[0].title"],
] as const;

/** The first condition or path that cannot be parsed. */
function findBadText(
  critical: z.infer<typeof CriticalArtifacts>,
  positionOf: (path: Path, text: string, offset: number) => string,
): string | null {
  const found = Object.entries(critical).flatMap(([list, artifacts]) =>
    (artifacts ?? []).flatMap((artifact, index) =>
      languages.flatMap(([field, parse, allowed]) => {
        const text = artifact[field];
        const parsed = text === undefined ? null : parse(text);
        if (text === undefined || parsed === null || parsed.ok) return [];
        const path = ["critical_artifacts", list, index, field];
        const where = positionOf(path, text, parsed.column - 1);
        return [`${where}${path.join(".")}: ${parsed.problem}; ${allowed}`];
      }),
    ),
  );
  return found[0] ?? null;
}

function settingsOf(config: z.infer<typeof Config>): Settings {
  const { cards, handoff, tracked, critical_artifacts: critical, hostname, patience_seconds, store, project } = config;
  const { show } = defaultSettings.handoff;
  return {
    cards: {
      ...defaultSettings.cards,
      ...(typeof cards === "boolean" ? { on: cards } : cards),
    },
    handoff: { limit: handoff?.limit ?? null, show: { ...show, ...handoff?.show } },
    tracked: {
      ...defaultSettings.tracked,
      ...(typeof tracked === "boolean" ? { on: tracked } : withoutUndefined(tracked ?? {})),
    },
    artifacts: [...(critical?.always_load ?? []), ...(critical?.conditional_load ?? [])],
    hostname: hostname ?? defaultSettings.hostname,
    patienceSeconds: patience_seconds ?? null,
    shared: store === undefined || project === undefined ? null : { project },
  };
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
