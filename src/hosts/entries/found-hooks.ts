import { isRecord } from "../../model/json.ts";
import type { FileProblem, HostFile } from "../contract/host.ts";
import { shimPath } from "./hook-entries.ts";
import { readJson } from "./json-text.ts";

/** A settings file by its display name, and its text; null if it does not exist. */
export interface SettingsText {
  readonly file: string;
  readonly text: string | null;
}

/** One of our hooks in a settings file. */
export interface FoundHook {
  readonly file: string;
  readonly event: string;
  readonly matcher: unknown;
  readonly entry: Readonly<Record<string, unknown>>;
  /** `installed` by init; `by-hand` calls the program directly, which init does not touch. */
  readonly kind: "installed" | "by-hand";
}

export interface FoundHooks {
  readonly hooks: readonly FoundHook[];
  readonly problems: readonly (FileProblem & { readonly file: string })[];
}

/** All of our hooks in some settings, and the files that cannot be read. */
export function findHooks(settings: readonly SettingsText[]): FoundHooks {
  const readings = settings.map(({ file, text }) => ({ file, reading: readJson(text ?? "") }));
  return {
    hooks: readings.flatMap(({ file, reading }) => (reading.ok ? hooksIn(file, reading.value) : [])),
    problems: readings.flatMap(({ file, reading }) => (reading.ok ? [] : [{ file, ...reading.problem }])),
  };
}

/** The hooks that a file of a host should have; empty for a file without hooks. */
export function wantedHooks(file: HostFile): readonly FoundHook[] {
  const written = file.putIn(null);
  return written.ok ? findHooks([{ file: file.path, text: written.text }]).hooks : [];
}

/** The command and arguments of a hook, in one line. */
export function wordsOf({ entry }: FoundHook): string {
  const words = [entry.command, entry.args].flat().filter((word) => typeof word === "string");
  return words.join(" ").replaceAll("\\", "/");
}

function hooksIn(file: string, settings: Readonly<Record<string, unknown>>): FoundHook[] {
  const events = isRecord(settings.hooks) ? Object.entries(settings.hooks) : [];
  return events.flatMap(([event, groups]) =>
    listOf(groups).flatMap(({ matcher, hooks }) =>
      listOf(hooks).flatMap((entry): FoundHook[] => {
        const hook = { file, event, matcher, entry };
        const kind = kindOf(wordsOf({ ...hook, kind: "installed" }), entry);
        return kind === null ? [] : [{ ...hook, kind }];
      }),
    ),
  );
}

function kindOf(words: string, { type, server, tool }: FoundHook["entry"]): FoundHook["kind"] | null {
  if (type === "mcp_tool") return server === "holdfast" && tool === "hook" ? "installed" : null;
  if (shimPath.test(words)) return "installed";
  return /(?:^|[\s/])holdfast(?:\.js)? hook(?:\s|$)|holdfast\/dist\/bin\/hook\.js/.test(words) ? "by-hand" : null;
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
