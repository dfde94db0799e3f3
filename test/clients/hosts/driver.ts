import type { HostName } from "../../../src/hosts/contract/names.ts";
import type { Project } from "../../cli/program.ts";
import type { Reply, ToolCall } from "../reply.ts";
import type { CheckName } from "./checks.ts";

/** A real agent program that a scripted model answers. */
export interface HostDriver {
  readonly host: HostName;
  readonly version: string;
  /** The name by which the model calls a tool of Holdfast. */
  tool(name: string): string;
  /** How the model runs a command in the program's shell. */
  shell(command: string): ToolCall;
  /** Opens a session in a project, or in a folder of it. */
  open(project: Project, options?: OpenOptions): Promise<HostSession>;
  /** What it has no way to do, and why. */
  readonly lacks: Partial<Readonly<Record<CheckName, string>>>;
}

export interface OpenOptions {
  readonly folder?: string;
  /** The id of the session to go on with. */
  readonly resumes?: string;
}

export interface HostSession {
  /** Lays out what the model says next, in order; then it says a word of assent to everything. */
  plan(...replies: readonly Reply[]): void;
  prompt(text: string): Promise<void>;
  /** Known after the first prompt. */
  id(): string;
  /** All that the model was given in each request since the last look, compactions left aside. */
  asked(): readonly string[];
  /** All that the model was given in each request for a summary. */
  compactions(): readonly string[];
  /** Compacts as a person asks for it. */
  compact(): Promise<void>;
  clear(): Promise<void>;
  /** Ends it in an orderly way. */
  close(): Promise<void>;
  /** As when the machine goes down. */
  kill(): Promise<void>;
}
