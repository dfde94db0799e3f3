import type { Decision } from "../../engine/commands/decision.ts";
import type { Command } from "../../model/command.ts";
import type { RunEvent } from "../../model/event.ts";
import { type Refusal, wordRefusal } from "../../model/refusal/refusal.ts";
import type { Visit } from "../../model/run.ts";
import { tokenOf, withClaim } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { createPlayer, type Player } from "./player.ts";

/** One visit, or a step that was skipped. */
export interface RehearsedVisit {
  /** Null for a step that was skipped. */
  readonly token: string | null;
  readonly place: string;
  /** What happened there, in order. */
  readonly notes: readonly string[];
  /** What the agent is told when it comes here. */
  readonly instructions: string | null;
}

/** Where a rehearsal takes place: the run in memory, and a record of what happened at each visit. */
export interface Stage {
  readonly template: Template;
  readonly projectRoot: string;
  readonly player: Player;
  play(command: Command): Decision;
  note(token: string, text: string): void;
  /** Records what the agent is told now. */
  listen(visit: Visit): void;
  visits(): readonly RehearsedVisit[];
  /** Everything that the agent was told at a place. */
  told(place: string): readonly string[];
}

interface Row extends RehearsedVisit {
  readonly notes: string[];
  instructions: string | null;
}

export function createStage(template: Template, projectRoot: string, request: string | undefined): Stage {
  const player = createPlayer(template, projectRoot, request);
  const rows: Row[] = [];
  const told = new Map<string, string[]>();
  const byToken = new Map<string, Row>();
  // A task is claimed after its visit was entered, and every attempt has a token of its own.
  const keyOf = (token: string) => withClaim(token, null).replace(/~\d+$/, "");
  const rowOf = (token: string) => byToken.get(keyOf(token));
  const record = (event: RunEvent) => {
    if (event.type === "visit-entered") {
      const row = { token: event.token, place: placeOf(event.token), notes: [], instructions: null };
      rows.push(row);
      byToken.set(keyOf(event.token), row);
    }
    if (event.type === "step-skipped") {
      const notes = [`skipped: ${event.when} is not true`];
      rows.push({ token: null, place: placeOf(tokenOf(event.place, 1, 1)), notes, instructions: null });
    }
  };
  return {
    template,
    projectRoot,
    player,
    play(command) {
      const decision = player.play(command);
      if (decision.ok) decision.events.forEach(record);
      return decision;
    },
    note: (token, text) => rowOf(token)?.notes.push(text),
    listen(visit) {
      const instructions = player.tell(visit);
      const row = rowOf(visit.token);
      if (row !== undefined) row.instructions ??= instructions;
      const place = placeOf(visit.token);
      const texts = told.get(place) ?? [];
      told.set(place, texts);
      texts.push(instructions);
    },
    visits: () => rows,
    told: (place) => told.get(place) ?? [],
  };
}

/** Why something was refused, in one line. What follows in a refusal lists what the author can see in the workflow. */
export function reasonOf(refusal: Refusal): string {
  return wordRefusal(refusal).message.replace(/\n.*/s, "");
}

/** A token without its numbers. */
function placeOf(token: string): string {
  return token.replace(/#.*$/, "");
}
