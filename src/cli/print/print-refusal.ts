import type { Refusal, RefusalWording } from "../../model/refusal/refusal.ts";
import { namedRuns, severalRuns } from "../../model/refusal/refusal-runs.ts";
import { beside, facts } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { revealed } from "../terminal/sanitize.ts";

/** A refusal for --json. */
export async function refusalValue(
  refusal: Refusal,
): Promise<{ error: { code: string; message: string; next: string } }> {
  return { error: { code: refusal.code, ...(await wordingOf(refusal)) } };
}

/** Most commands are not refused, so the texts are loaded with the first refusal. */
async function wordingOf(refusal: Refusal): Promise<RefusalWording> {
  return (await import("../../model/refusal/refusal.ts")).wordRefusal(refusal);
}

/** A refusal for people: the message with its code, the facts, and what to do next. */
export async function printRefusal(refusal: Refusal, paint: Paint): Promise<string> {
  const { message, rows, next } = await lay(refusal);
  const [first = "", ...more] = revealed(message).split("\n");
  const rest = more.map((line) => `${line}\n`).join("");
  const said = [...rows, ["Next", next] as const].map(([name, fact]) => [name, revealed(fact)] as const);
  const head = beside(`${paint.bad("refused:")} `, `${first} ${paint.dim(`(${refusal.code})`)}`, paint.edge);
  return `${head}${rest}${facts(said, paint.edge)}`;
}

/** A gate that a person interrupted did not fail. */
export function printInterruption(refusal: Refusal & { readonly code: "gate-failed" }, paint: Paint): string {
  const said = `the gate was interrupted: ${revealed(refusal.what)}`;
  const next = "the run has not moved; advance again to run the gate again";
  return `${beside(`${paint.bad("interrupted:")} `, said, paint.edge)}${facts([["Next", next]], paint.edge)}`;
}

interface Laid {
  readonly message: string;
  readonly rows: readonly (readonly [name: string, fact: string])[];
  readonly next: string;
}

async function lay(refusal: Refusal): Promise<Laid> {
  if (refusal.code === "step-stale" && refusal.seat) {
    return {
      message: "the visit that this session was given is over",
      rows: [["Its visit", refusal.sent], currentRow(refusal.open)],
      next: "type `holdfast next`: it gives the session what is to be done now",
    };
  }
  if (refusal.code === "step-stale") {
    return {
      message: refusal.spent ? "that visit has ended with another answer" : "that is no open visit of this run",
      rows: [["You sent", refusal.sent], currentRow(refusal.open, refusal.elsewhere)],
      next:
        refusal.open.length === 0 && !refusal.elsewhere
          ? "see the run with `holdfast status`"
          : "get the current work with `holdfast next`, then advance with its token",
    };
  }
  if (refusal.code === "run-ambiguous") {
    const rows = namedRuns(refusal.runs, refusal.atLeast).map(
      (run, index) => [index === 0 ? "Runs" : "", run] as const,
    );
    return {
      message: severalRuns(refusal),
      rows,
      next: `say which one with --run <id>${rows.length < refusal.runs.length ? "; `holdfast runs` lists them" : ""}`,
    };
  }
  if (refusal.code === "tracked-ambiguous") {
    const rows = refusal.workflows.map((workflow, index) => [index === 0 ? "Workflows" : "", workflow] as const);
    return { message: "several workflows are tracked", rows, next: "say which one with --workflow NAME" };
  }
  return { ...(await wordingOf(refusal)), rows: [] };
}

function currentRow(open: readonly string[], elsewhere = false): readonly [string, string] {
  return ["Current", open.join(", ") || (elsewhere ? "none that is known to be yours" : "no visit is open")];
}
