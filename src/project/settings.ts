import type { Artifact } from "../model/artifact.ts";

/** The user's database with the runs of shared projects. Gates do not see it: it may have a password. */
export const databaseVariable = "HOLDFAST_DATABASE_URL";

/** A project's own settings, from `.holdfast/config.yaml`. */
export interface Settings {
  readonly cards: { readonly on: boolean; readonly folder: string };
  readonly handoff: {
    /** The maximum number of characters; null for the host's own limit. */
    readonly limit: number | null;
    readonly show: Readonly<Record<Source, Show>>;
  };
  readonly tracked: {
    readonly on: boolean;
    readonly local: readonly string[];
    readonly plans: readonly string[];
    readonly markers: readonly string[];
  };
  /** Artifacts that every workflow of the project loads. */
  readonly artifacts: readonly Artifact[];
  /** Whether a session's record names the machine. */
  readonly hostname: boolean;
  /** How long a call waits for a gate; null for the default. */
  readonly patienceSeconds: number | null;
  /** Where the runs are: null for the project's own files, or what the project is called in a database of the user. */
  readonly shared: SharedProject | null;
}

/** "unclear" if the settings name a store but cannot be read: then no store is the right one. */
export type SharedProject = { readonly project: string } | "unclear";

/** Why a session starts. */
export const sources = ["startup", "resume", "clear", "compact", "fork"] as const;
export type Source = (typeof sources)[number];

/** How much to show: the full handoff, one line that names the run, or nothing. */
export const shows = ["full", "line", "nothing"] as const;
export type Show = (typeof shows)[number];

export const defaultSettings: Settings = {
  cards: { on: true, folder: "untracked/workflow-state" },
  handoff: {
    limit: null,
    show: { startup: "line", resume: "full", clear: "full", compact: "full", fork: "full" },
  },
  tracked: {
    on: true,
    local: ["CLAUDE.local.md"],
    plans: ["CLAUDE/Plan/*/PLAN.md"],
    markers: ["workflow state"],
  },
  artifacts: [],
  hostname: true,
  patienceSeconds: null,
  shared: null,
};

/** A host may send a source that is not known yet; it counts as startup. */
export function sourceOf(text: string | null): Source {
  return sources.find((source) => source === text) ?? "startup";
}

/** The settings in effect, and the problem with the file, if any. */
export interface FoundSettings {
  readonly settings: Settings;
  readonly problem: string | null;
}
