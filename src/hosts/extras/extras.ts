import type { Edited, HostFile } from "../contract/host.ts";
import { putCardFolder, putIgnoreLines, takeCardFolder, takeIgnoreLines } from "./lines.ts";
import { putPermission, takePermission } from "./permission.ts";
import { type InheritedLine, putStatusLine, takeStatusLine } from "./status-line.ts";

/** What `init` can set up beyond the hooks and the server. */
export const extraNames = ["permission", "status-line", "hidden-cards", "gitignore"] as const;
export type ExtraName = (typeof extraNames)[number];

/** Those that grant an agent no permission and move no files, so that --yes takes them. */
export const safeExtras: readonly ExtraName[] = ["status-line", "gitignore"];

/** The person's own settings of Claude Code in a project. Claude Code writes the answers to its questions there, too. */
export const localSettings = ".claude/settings.local.json";
export const configFile = ".holdfast/config.yaml";

/** What is not to be committed, and is in no folder with a .gitignore of ours before its first use. */
export const ignorable = { settings: `/${localSettings}`, cards: "/untracked/workflow-state/" } as const;

export interface Extra extends HostFile {
  readonly name: ExtraName;
  readonly about: string;
  /** Whether its entry cannot be a person's own. Otherwise only the record of the installation tells. */
  readonly isMarked: boolean;
}

export interface ExtraDetails {
  readonly inherited: InheritedLine | null;
  readonly ignored: readonly string[];
}

export function createExtras({ inherited, ignored }: ExtraDetails): Readonly<Record<ExtraName, Extra>> {
  return {
    permission: {
      name: "permission",
      path: localSettings,
      about: "the tool permission",
      isMarked: false,
      putIn: putPermission,
      takeOut: takePermission,
    },
    "status-line": {
      name: "status-line",
      path: localSettings,
      about: `the status line${inherited === null ? "" : ", below your own"}`,
      isMarked: true,
      putIn: (text) => putStatusLine(text, inherited),
      takeOut: takeStatusLine,
    },
    "hidden-cards": {
      name: "hidden-cards",
      path: configFile,
      about: "keeps state cards in .holdfast/cards",
      isMarked: true,
      putIn: putCardFolder,
      takeOut: takeCardFolder,
    },
    gitignore: {
      name: "gitignore",
      path: ".gitignore",
      about: "lines for your own settings and state cards",
      isMarked: true,
      putIn: (text) => putIgnoreLines(text, ignored),
      takeOut: (text, original) => takeIgnoreLines(text, original, Object.values(ignorable)),
    },
  };
}

/** An extra, and whether to have it. */
export interface ExtraWish {
  readonly extra: Extra;
  readonly wanted: boolean;
}

/** What an earlier `init` added to a file, and the file before that. */
export interface ExtrasBefore {
  readonly added: readonly ExtraName[];
  readonly original: string | null;
}

/** The extras of one file as a file of a host. What an earlier `init` added is kept up to date, or taken out. */
export function extraFile(
  path: string,
  wishes: readonly ExtraWish[],
  { added, original: known }: ExtrasBefore,
): HostFile {
  const mayTake = ({ extra }: ExtraWish) => extra.isMarked || added.includes(extra.name);
  const wanted = wishes.filter((wish) => wish.wanted);
  const unwanted = wishes.filter((wish) => !wish.wanted && mayTake(wish));
  return {
    path,
    about: wanted.map(({ extra }) => extra.about).join(", "),
    putIn(text) {
      const without = takeAll(unwanted, text, known);
      const edited = without.ok ? putAll(wanted, without.text) : without;
      const empty = text !== null && path.endsWith(".json") ? "{}\n" : "";
      return edited.ok ? { ...edited, text: edited.text ?? empty } : edited;
    },
    takeOut: (text, original) => takeAll(wishes.filter(mayTake), text, original),
  };
}

/** The wanted extras that `init` put into a file, now or before; the others were there already. */
export function addedExtras(
  text: string | null,
  wishes: readonly ExtraWish[],
  before: readonly ExtraName[],
): readonly ExtraName[] {
  const isAdded = ({ extra, wanted }: ExtraWish) => {
    const edited = wanted ? extra.putIn(text) : null;
    return edited?.ok === true && (before.includes(extra.name) || edited.text !== (text ?? ""));
  };
  return wishes.filter(isAdded).map(({ extra }) => extra.name);
}

function putAll(wishes: readonly ExtraWish[], text: string | null): Edited<string | null> {
  return wishes.reduce<Edited<string | null>>(
    (edited, { extra }) => {
      if (!edited.ok) return edited;
      const next = extra.putIn(edited.text);
      return next.ok && edited.note !== undefined ? { note: edited.note, ...next } : next;
    },
    { ok: true, text },
  );
}

function takeAll(wishes: readonly ExtraWish[], text: string | null, original: string | null): Edited<string | null> {
  return wishes.reduce<Edited<string | null>>(
    (edited, { extra }) => (edited.ok && edited.text !== null ? extra.takeOut(edited.text, original) : edited),
    { ok: true, text },
  );
}
