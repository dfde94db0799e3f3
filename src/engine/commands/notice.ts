import type { CommandType } from "../../model/command.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { observeContextAction } from "./context-actions.ts";
import { type CommandHandler, type CommandOf, type Decision, refuse } from "./decision.ts";
import { registerArtefacts } from "./records.ts";
import { beginCompaction, editCard, endCompaction, endSession, noteArtifacts, startSession } from "./sessions.ts";
import { countSpending } from "./spending.ts";

/** Commands that a hook may send. They are recorded; none of them moves the run. */
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

/** `decide` for the commands of hooks alone, so that hooks need not load the handlers that move a run. */
export function notice(template: Template, run: StartedRun, command: Notice, at: string): Decision {
  if (!isLive(run)) return refuse({ code: "run-ended", status: run.status, outputIgnored: false });
  // TypeScript cannot see that the entry for `command.type` takes exactly this command.
  const handler = notices[command.type] as CommandHandler<NoticeType>;
  return handler({ template, run, at }, command);
}
