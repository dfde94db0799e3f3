import type { CommandType } from "../../model/command.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import type { CommandHandler, CommandOf } from "./command-handler.ts";
import { observeContextAction } from "./context-actions.ts";
import { type Decision, refuse } from "./decision.ts";
import { registerArtefacts } from "./records.ts";
import { beginCompaction, editCard, endCompaction, endSession, noteArtifacts, startSession } from "./sessions.ts";
import { countSpending } from "./spending.ts";

/** What a hook may tell of a run. It is noted; none of it moves the run on. */
export type NoticeType = keyof typeof notices;
export type Notice = CommandOf<NoticeType>;

export const notices = {
  "start-session": startSession,
  "end-session": endSession,
  "begin-compaction": beginCompaction,
  "end-compaction": endCompaction,
  "edit-card": editCard,
  "note-artifacts": noteArtifacts,
  "observe-context-action": observeContextAction,
  "register-artefacts": registerArtefacts,
  count: countSpending,
} as const satisfies { readonly [T in CommandType]?: CommandHandler<T> };

/** Decides what a hook tells, with none of the law that moves a run: hooks load little. */
export function notice(template: Template, run: StartedRun, command: Notice, at: string): Decision {
  if (!isLive(run)) return refuse({ code: "run-ended", status: run.status, outputIgnored: false });
  // The table is indexed by the very type that the command has, which the compiler cannot follow.
  const handler = notices[command.type] as CommandHandler<NoticeType>;
  return handler({ template, run, at }, command);
}
