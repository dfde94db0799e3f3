import type { HandoffReply } from "../../app/queries/show-handoff.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import type { Paint } from "../terminal/paint.ts";
import { oneLine } from "../terminal/sanitize.ts";
import { localTime } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** The text, and above it where it comes from if a moment was asked for. */
export function printHandoff({ event, recorded, text }: HandoffReply, paint: Paint, isPast: boolean): string {
  if (!isPast) return ended(text);
  const source =
    recorded === null
      ? `Rebuilt from the state after event ${event}: what was shown then was not recorded.`
      : `Shown at event ${recorded.event} (${localTime(recorded.at, "seconds")}), ${words[recorded.kind]}${toWhom(recorded)}.`;
  return `${paint.dim(wrapText(source, paint.edge))}\n\n${ended(readable(text))}`;
}

const words: Readonly<Record<NonNullable<HandoffReply["recorded"]>["kind"], string>> = {
  tool: "as the reply of a tool",
  command: "as the output of a command",
  handoff: "as a handoff",
  subagent: "as the handoff of a subagent",
  hold: "when the agent wanted to stop",
  prompt: "as a prompt of holdfast run",
};

function toWhom({ session }: NonNullable<HandoffReply["recorded"]>): string {
  return session === null ? "" : `, to session ${oneLine(session)}`;
}

/** The reply of a tool is JSON: a person reads its fields one below the other. */
function readable(text: string): string {
  const value = parseJson(text);
  if (!isRecord(value)) return text;
  return Object.entries(value)
    .map(([name, each]) => {
      const said = typeof each === "string" ? each : JSON.stringify(each);
      return said.includes("\n") ? `${name}:\n${said.trimEnd()}\n` : `${name}: ${said}`;
    })
    .join("\n");
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
