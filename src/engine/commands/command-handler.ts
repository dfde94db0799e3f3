import type { Command, CommandType } from "../../model/command.ts";
import type { LiveRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { Decision } from "./decision.ts";

/** What a handler gets: the template, the live run and the time. */
export interface HandlerContext {
  readonly template: Template;
  readonly run: LiveRun;
  readonly at: string;
}

export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>;

export type CommandHandler<T extends CommandType> = (context: HandlerContext, command: CommandOf<T>) => Decision;
