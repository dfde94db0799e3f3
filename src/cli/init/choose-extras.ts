import { confirm, isCancel, multiselect } from "@clack/prompts";
import { type Extra, type ExtraName, localSettings } from "../../hosts/extras/extras.ts";
import { defaultCardFolder, type ExtraWants } from "../../hosts/install/find-extras.ts";
import type { Plan } from "../../hosts/install/plan.ts";
import type { Io } from "../terminal/io.ts";
import { table } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { wrapText } from "../terminal/wrap-text.ts";

const labels: Readonly<Record<ExtraName, string>> = {
  permission: "Let Claude Code use Holdfast's tools without asking",
  "status-line": "Show the run in Claude Code's status line",
  "hidden-cards": "Keep state cards in .holdfast/cards, not in untracked/",
  gitignore: "Add your own settings and state cards to .gitignore",
};

/** Lets a person choose what to set up beyond the hooks and the server. Null if they cancel. */
export async function chooseExtras(
  offered: readonly (Extra & { readonly suggested: boolean })[],
  io: Io,
): Promise<ExtraWants | null> {
  if (offered.length === 0) return {};
  const chosen = await multiselect({
    message: "What else?",
    options: offered.map(({ name, path }) => ({ value: name, label: labels[name], hint: path })),
    initialValues: offered.filter(({ suggested }) => suggested).map(({ name }) => name),
    required: false,
    signal: io.signal,
  });
  if (isCancel(chosen)) return null;
  return Object.fromEntries(offered.map(({ name }) => [name, chosen.includes(name)]));
}

/** Says in one screen what will be done, what for, and how to undo it, and asks whether to do it. */
export async function confirmPlan(plan: Plan, project: string, io: Io, paint: Paint): Promise<boolean> {
  const rows = plan.changes.map(({ path, about }) => [path, about]);
  const cards = plan.extras.includes("hidden-cards") ? null : defaultCardFolder(project);
  const own = plan.changes.some(({ path }) => path === localSettings);
  const paragraphs = [
    `Holdfast will write these files. Commit them${own ? `, except for ${localSettings}` : ""}.\n`,
    table(rows, { edge: paint.columns }),
    cards === null ? "" : `A live run also has a state card in ${cards}/, which git ignores.\n`,
    "To undo it, at any time: holdfast init --remove\n",
  ];
  io.out(`\n${paragraphs.map((text) => wrapText(text, paint.columns)).join("")}`);
  const agreed = await confirm({ message: "Go ahead?", signal: io.signal });
  return agreed === true;
}
