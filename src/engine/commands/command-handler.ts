import type { Command, CommandType } from "../../model/command.ts";
import type { LiveRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { Decision } from "./decision.ts";

/** What a rule sees: the law, the live run, the time. */
export interface Scene {
  readonly template: Template;
  readonly run: LiveRun;
  readonly at: string;
}

export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>;

export type Rule<T extends CommandType> = (scene: Scene, command: CommandOf<T>) => Decision;
