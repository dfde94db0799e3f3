import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";
import type { Host } from "../../hosts/contract/host.ts";
import { defaultCardFolder, type ExtraWants, hasCards } from "../../hosts/install/find-extras.ts";
import { recordFolder } from "../../hosts/install/installed-record.ts";
import type { Change, Plan } from "../../hosts/install/plan.ts";
import { beside, facts } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { sanitizeText } from "../terminal/sanitize.ts";

/** The options of the call. */
export interface Wish {
  readonly remove: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
  /** What is said about the extras. */
  readonly wants: ExtraWants;
}

/** What was done, or would be done. */
export interface Outcome {
  readonly plan: Plan;
  readonly hosts: readonly Host[];
  readonly wish: Wish;
  readonly project: string;
}

/** What was done, or with --dry-run the diff of every file that would change. */
export function printInit(outcome: Outcome, paint: Paint): string {
  const { plan, hosts: chosen, wish } = outcome;
  const notes = plan.notes.map((note) => beside("  note: ", note, paint.edge)).join("");
  if (plan.changes.length === 0)
    return `${stateOf(chosen, wish)}; nothing ${wish.dryRun ? "would change" : "was changed"}\n${notes}`;
  if (wish.dryRun) return `${plan.changes.map((change) => sanitizeText(diffOf(change))).join("")}${notes}`;
  const width = Math.max(...plan.changes.map(({ what }) => what.length));
  const files = plan.changes.map(({ what, path }) => `  ${paint.good(what.padEnd(width))}  ${path}\n`).join("");
  const next = facts(nextOf(outcome), paint.edge);
  return `${titlesOf(touched(plan, chosen))} ${wish.remove ? "no longer set up" : "set up"} here\n${files}${notes}${next}`;
}

/** The same for --json. */
export function initValue({ plan, hosts: chosen, wish }: Outcome): object {
  const files = plan.changes.map((change) => {
    const { path, what } = change;
    return wish.dryRun ? { path, change: what, diff: diffOf(change) } : { path, change: what };
  });
  const { remove, dryRun } = wish;
  return { hosts: chosen.map(({ name }) => name), remove, dryRun, extras: plan.extras, files, notes: plan.notes };
}

/** Every file that cannot be edited. */
export function printProblems(plan: Plan, paint: Paint): string {
  const lines = messagesOf(plan).map((message) =>
    beside(`${paint.bad("refused:")} `, sanitizeText(message), paint.edge),
  );
  return `${lines.join("")}${facts([["Next", next]], paint.edge)}`;
}

export function problemsValue(plan: Plan): object {
  return { error: { code: "file-invalid", message: messagesOf(plan).join("; "), next, problems: plan.problems } };
}

const next = "fix it, then run holdfast init again; nothing was changed";

function messagesOf({ problems }: Plan): string[] {
  return problems.map(({ file, line, column, problem }) => `${file}, line ${line}, column ${column}: ${problem}`);
}

function stateOf(chosen: readonly Host[], { remove }: Wish): string {
  return `${titlesOf(chosen)} ${remove ? "not" : "already"} set up here`;
}

function titlesOf(chosen: readonly Host[]): string {
  return `${titleList(chosen)} ${chosen.length === 1 ? "is" : "are"}`;
}

export function titleList(chosen: readonly Host[]): string {
  return new Intl.ListFormat("en-GB").format(chosen.map(({ title }) => title));
}

/** The hosts whose files changed; all of them if only the shims did. A shared file counts for the first. */
function touched({ changes }: Plan, chosen: readonly Host[]): readonly Host[] {
  const paths = new Set(changes.map(({ path }) => path));
  const changed = chosen.flatMap(({ files }) => files).filter(({ path }) => paths.has(path));
  const some = chosen.filter((host) =>
    changed.some((file) => chosen.find((each) => each.files.includes(file)) === host),
  );
  return some.length === 0 ? chosen : some;
}

function nextOf({ plan: { changes, extras }, hosts: chosen, wish, project }: Outcome): [string, string][] {
  if (wish.remove) return [["Next", "commit the changes if the files were committed before"]];
  const kept = changes.some(({ original }) => original !== undefined);
  const cards = cardsText(project, extras.includes("hidden-cards"));
  const rows: [string, string][] = chosen.map(({ next: step }, index) => [index === 0 ? "Next" : "", step]);
  return [
    ...(kept ? [["Kept", `the previous files are in ${recordFolder}/`] satisfies [string, string]] : []),
    ...(cards === null ? [] : [["Note", cards] satisfies [string, string]]),
    ["Undo", "holdfast init --remove"],
    ...rows,
  ];
}

/** Where state cards are, if that may surprise someone. */
function cardsText(project: string, areHidden: boolean): string | null {
  if (areHidden)
    return hasCards(project) ? "move your existing cards: mv untracked/workflow-state .holdfast/cards" : null;
  const folder = defaultCardFolder(project);
  return folder === null ? null : `state cards appear in ${folder}/; --hidden-cards keeps them in .holdfast/`;
}

function diffOf({ path, before, after }: Change): string {
  const [old, young] = [before?.bytes.toString("utf8") ?? "", after?.toString("utf8") ?? ""];
  const names = [before === null ? "/dev/null" : `a/${path}`, after === null ? "/dev/null" : `b/${path}`] as const;
  return formatPatch(structuredPatch(...names, old, young, undefined, undefined, { context: 3 }), FILE_HEADERS_ONLY);
}
