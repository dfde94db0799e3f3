import type { Sandbox } from "./sandbox.ts";

/** One hostile repository. Its name states the attack. */
export interface Fixture {
  readonly name: string;
  /** Writes what the attacker has committed. */
  build(sandbox: Sandbox): void;
  /** What an attacker cannot commit but an archive may contain, or what happens after the clone. */
  afterwards?(sandbox: Sandbox): void;
  /** What at least one of the calls says about it; without it, there is nothing wrong to tell. */
  readonly says?: RegExp;
  /** What is set in the environment of the calls, as by a git hook or a tool that reads the project's settings. */
  env?(sandbox: Sandbox): Readonly<Record<string, string>>;
  /** Where the calls are made, if not at the top of the repository. */
  readonly cwd?: string;
}
