import { type HookEvent, handleHookEvent } from "../../../src/app/continuity/events/handle-hook-event.ts";
import { createHookPorts } from "../../../src/app/continuity/ports/hook-ports.ts";
import type { HookReply, HookSource } from "../../../src/app/continuity/ports/ports.ts";
import type { World } from "../world.ts";

/** A host program, as its hooks tell of it. */
export interface HostProcess {
  readonly parent: string;
  readonly host: string;
  end(): void;
  /** Tells what happened to one of its sessions. */
  tell(session: string, name: HookEvent["name"], more?: Telling): Promise<HookReply>;
  start(session: string, source: string, more?: Telling): Promise<HookReply>;
}

export interface Telling extends Partial<HookEvent> {
  readonly via?: string;
  readonly cwd?: string;
  /** How far the clock has gone since the last minute that passed. */
  readonly afterMs?: number;
}

/** Hooks with the drivers of the real ones, over a world whose clock and whose processes a test decides. */
export function createHosts(world: World): (host?: string) => HostProcess {
  const alive = new Set<string>();
  const { now } = world.person().deps;
  let started = 0;
  return (host = "claude") => {
    const parent = `${++started}.1`;
    alive.add(parent);
    const tell: HostProcess["tell"] = async (session, name, telling = {}) => {
      const { via = "project", cwd = world.project, afterMs = 0, ...more } = telling;
      const ports = await createHookPorts(cwd);
      const hook: HookSource = { session, host, via, parent };
      const at = () => new Date(Date.parse(now()) + afterMs).toISOString();
      const isAlive = (runner: string) => alive.has(runner);
      return handleHookEvent({ ...ports, now: at, isAlive }, hook, { ...nothing, name, ...more });
    };
    return {
      parent,
      host,
      end: () => alive.delete(parent),
      tell,
      start: (session, source, more) => tell(session, "SessionStart", { source, ...more }),
    };
  };
}

const nothing: Omit<HookEvent, "name"> = {
  agent: null,
  transcript: null,
  source: null,
  trigger: null,
  reason: null,
  summaryLength: null,
  stopActive: false,
  paths: [],
};

/** How much an answer shows of a run. */
export function shownBy({ context = "" }: HookReply): "full" | "line" | "nothing" | string {
  if (context === "") return "nothing";
  if (context.startsWith("<holdfast ")) return "full";
  return /^Holdfast: the workflow [^\n]*$/.test(context) ? "line" : context;
}

/** Two steps; the first is done. */
export const twoSteps = `
type: implementation
required_reading: ["@docs/guide.md"]
key_reminders: ["Run the tests"]
steps:
  - { id: plan, type: action, instructions: "Plan it" }
  - { id: build, type: action, instructions: "Build it" }
`;
