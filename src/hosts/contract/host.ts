import type { Finding } from "./finding.ts";
import type { HookCall } from "./hook-call.ts";
import type { HostName } from "./names.ts";

/** An agent program, and the project files in which it is set up. */
export interface Host {
  readonly name: HostName;
  /** Its name in messages. */
  readonly title: string;
  readonly program: string;
  /** Its settings folder, in the home folder and in a project. */
  readonly folder: string;
  /** Its settings folder in the home folder, where that has another name. */
  readonly homeFolder?: string;
  readonly files: readonly HostFile[];
  /** Further files of a project in which it looks for hooks. `init` puts no hooks into them. */
  readonly otherSettings?: readonly string[];
  /** Its settings for every project of a user, with paths in the home folder; takes the folder that holds the shims. */
  forUser?(folder: string): readonly HostFile[];
  /** Set if it runs the hooks of a project only where the project's settings are: how it starts the server in folders below. */
  readonly serverBelow?: { readonly command: string; readonly args: readonly string[] };
  /** Our plugin for it, which a person may have installed instead of, or beside, the files of a project. */
  readonly plugin?: HostPlugin;
  /** What to do after the setup. */
  readonly next: string;
}

export interface HostPlugin {
  /** Whether these settings enable it. They are those of the project, of the person in the project, and of the person. */
  isOn(settings: readonly (string | null)[]): boolean;
  /** The host's list of installed plugins, in the home folder. */
  readonly list: string;
  /** Its folder according to that list; null if it is not in there. */
  folderIn(list: string | null): string | null;
  /** Checks that the plugin in a folder is of this version. */
  diagnose(folder: string | null, version: string): Finding[];
  calls(folder: string): HookCall[];
}

/** In every file that is ours as a whole. */
export const ownMark = 'Made by "holdfast init"';

/** One settings file of a host, and how to edit it. Texts have no byte order mark. */
export interface HostFile {
  /** Relative to the project root, with slashes. */
  readonly path: string;
  /** Other names under which the host reads it. The first that is there is edited. */
  readonly otherNames?: readonly string[];
  /** What is in it besides entries for hooks: the MCP server unless it says otherwise. A plugin starts hooks by itself. */
  readonly holds?: "MCP server" | "plugin" | "commands";
  /** What it is for, in a few words for the person who is asked, unless `holds` says it. */
  readonly about?: string;
  /** Adds our entries; null stands for a missing file. Returns the same text if they are all present. */
  putIn(text: string | null): Edited;
  /**
   * Removes our entries and nothing else; null if nothing is left. If the original is known, its own parts stay, even
   * empty ones.
   */
  takeOut(text: string, original: string | null): Edited<string | null>;
  /** What to keep of the original instead of all of it. `takeOut` needs no more than this. */
  keeps?(text: string): string;
}

export type Edited<T = string> =
  | { readonly ok: true; readonly text: T; readonly note?: string }
  | { readonly ok: false; readonly problem: FileProblem };

/** Why a file cannot be edited. Lines and columns start at 1. */
export interface FileProblem {
  readonly line: number;
  readonly column: number;
  readonly problem: string;
}

export function problemAt(text: string, offset: number, problem: string): { ok: false; problem: FileProblem } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { ok: false, problem: { line: before.length, column: (before.at(-1) ?? "").length + 1, problem } };
}
