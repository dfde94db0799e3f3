import { confirm, isCancel, multiselect } from "@clack/prompts";
import type { Host } from "../../hosts/contract/host.ts";
import { type Extra, type ExtraName, localSettings } from "../../hosts/extras/extras.ts";
import { defaultCardFolder, type ExtraWants } from "../../hosts/install/find-extras.ts";
import type { Plan } from "../../hosts/install/plan.ts";
import { asNamedHere } from "../../hosts/install/project-file.ts";
import { shimFiles } from "../../hosts/shims/shim-files.ts";
import type { Io } from "../terminal/io.ts";
import { table } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { nameFiles } from "./name-files.ts";
import type { Outcome } from "./print-init.ts";

const labels: Readonly<Record<ExtraName, readonly [label: string, hint: string]>> = {
  permission: ["Tool permission", "Claude Code uses Holdfast's tools without asking"],
  "status-line": ["Status line", "shows the run in Claude Code"],
  "hidden-cards": ["Hidden cards", ".holdfast/cards, not untracked/workflow-state"],
  gitignore: [".gitignore lines", "for your own settings and state cards"],
};

/** Lets a person choose what to set up beyond the hooks and the server. Null if they cancel. */
export async function chooseExtras(
  offered: readonly (Extra & { readonly suggested: boolean })[],
  io: Io,
): Promise<ExtraWants | null> {
  if (offered.length === 0) return {};
  const chosen = await multiselect({
    message: "What else?",
    options: offered.map(({ name }) => ({ value: name, label: labels[name][0], hint: labels[name][1] })),
    initialValues: offered.filter(({ suggested }) => suggested).map(({ name }) => name),
    required: false,
    signal: io.signal,
  });
  if (isCancel(chosen)) return null;
  return Object.fromEntries(offered.map(({ name }) => [name, chosen.includes(name)]));
}

/** Says in one screen what will be done, what for, and how to undo it, and asks whether to do it. */
export async function confirmPlan({ plan, hosts, project }: Outcome, io: Io, paint: Paint): Promise<boolean> {
  const isLong = hosts.length > 1;
  const rows = isLong ? rowsByHost(plan, hosts, project) : plan.changes.map(({ path, about }) => [path, about]);
  const cards = plan.extras.includes("hidden-cards") ? null : defaultCardFolder(project);
  const own = plan.changes.some(({ path }) => path === localSettings);
  const names = hosts.map(({ name }) => name).join(",");
  const paragraphs = [
    "Holdfast will write these files:\n",
    table(rows, { edge: paint.columns }),
    cards === null ? "" : `A live run also has a state card in ${cards}/, which git ignores.\n`,
    `Commit them${own ? `, but not ${localSettings}: it is yours alone` : ""}.\n`,
    isLong ? `To read every change first: holdfast init --dry-run --host ${names}\n` : "",
    "To undo it at any time: holdfast init --remove\n",
  ];
  io.out(`\n${paragraphs.map((text) => wrapText(text, paint.columns)).join("")}`);
  const agreed = await confirm({ message: "Go ahead?", signal: io.signal });
  return agreed === true;
}

/** One row for each host: with a row for each file, what is written for four hosts would not fit on a screen. */
function rowsByHost({ changes }: Plan, hosts: readonly Host[], project: string): string[][] {
  const written = changes.map(({ path }) => path);
  const rows = hosts.map(({ title, files }) => [title, files.map((file) => asNamedHere(project, file).path)] as const);
  const shims = shimFiles.map(({ path }) => path);
  const named = [...shims, ...rows.flatMap(([, paths]) => paths)];
  const all = [...rows, ["All", shims], ["Extras", written.filter((path) => !named.includes(path))]] as const;
  return all
    .map(([title, paths]) => [title, nameFiles(paths.filter((path) => written.includes(path)))])
    .filter(([, names]) => names !== "");
}
