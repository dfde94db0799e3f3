import { hash } from "node:crypto";
import { hashLine } from "../../../src/app/transfer/hashed-line.ts";
import { RunEvent } from "../../../src/model/schemas.ts";
import { writeLine } from "../../../src/store/journal-line.ts";

export type Commits = readonly (readonly RunEvent[])[];

/** The journal of these commits, every hash and the chain of them right: what someone who knows the format can write. */
export function journalOf(commits: Commits): string {
  let prev = "";
  const lines = commits.map((events, index) => {
    const line = writeLine({ version: index + 1, prev, writer: "forger", events });
    prev = line.hash;
    return line.bytes.toString();
  });
  return lines.join("");
}

/** An exported run with other commits, sealed again as a whole. */
export function forge(text: string, change: (commits: Commits) => Commits): string {
  const lines = text.trimEnd().split("\n");
  const { hash: _hash, ...head } = JSON.parse(lines[0] ?? "");
  const before = 1 + Number(head.templates);
  const commits = change(commitsOf(lines.slice(before, -1).join("\n")));
  const parts = [hashLine({ ...head, commits: commits.length }), ...lines.slice(1, before)];
  const body = `${parts.map((line) => `${line}\n`).join("")}${journalOf(commits)}`;
  return `${body}${hashLine({ type: "end", all: hash("sha256", body) })}\n`;
}

function commitsOf(journal: string): Commits {
  const lines = journal.trimEnd().split("\n");
  return lines.map((line) => RunEvent.array().parse(JSON.parse(line).events));
}
