import type { HookEventName } from "../../src/hosts/contract/contract.ts";
import type { HostEvent } from "../../src/hosts/hook-input.ts";

/** What a host was seen to do, as data: `hosts.test.ts` holds every host to it. */
export interface HostCase {
  /** What it writes to a hook, and what is read there. */
  readonly inputs: readonly HostInput[];
  /** What a hook prints for it when there is everything to say. */
  readonly outputs: Readonly<Record<HookEventName, string>>;
  /** Output that it would reject or not heed, and why. */
  readonly rejected: readonly (readonly [event: string, output: string, problem: string])[];
  /** Variables in its shell, each of which is a sign that an agent runs there. */
  readonly shell: readonly string[];
  /** Settings that people have in the files that `init` edits. */
  readonly settings: Readonly<Record<string, readonly string[]>>;
}

export interface HostInput {
  readonly event: HookEventName;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reads: Partial<HostEvent>;
}

/** The answer behind `outputs`. */
export const everything = {
  context: "The tide is out",
  block: "Not yet",
  instructions: "Keep the knot",
  notice: "Restored",
};
