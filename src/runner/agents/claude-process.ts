import { createInterface } from "node:readline";
import { isRecord, parseJson } from "../../model/json.ts";
import { type GuardedStart, startGuarded } from "../../platform/guarded-process.ts";
import { createTail } from "../../platform/tail.ts";
import type { Frame } from "./claude-frames.ts";

/** A Claude Code that takes one message after the other. */
export interface ClaudeProcess {
  readonly isAlive: boolean;
  /** Gives every frame that comes, up to the result of this message; why it has ended if none comes. */
  ask(text: string, onFrame: (frame: Frame) => void): Promise<Frame | Ended>;
  /** Ends the turn that is under way, if any; the result says so. */
  interrupt(): void;
  /** Lets it end by itself, then ends it with everything that it has started. */
  close(): Promise<void>;
}

export interface Ended {
  readonly ended: string;
  /** It has ended by itself without a frame: its options, or the machine, are not fit for it. */
  readonly isUnfit: boolean;
}

export function hasEnded(answer: Frame | Ended): answer is Ended {
  return typeof answer.ended === "string";
}

const tailBytes = 2_000;
/** It exits within 0.1 s once its input is closed, unless something that it has started holds its pipes. */
const graceMs = 2_000;

/** A text says why it cannot be started. */
export function startClaude(start: GuardedStart): ClaudeProcess | string {
  const guarded = startGuarded(start, "pipe");
  if (typeof guarded === "string") return guarded;
  const { child } = guarded;
  const tail = createTail(tailBytes);
  let ended: Ended | null = null;
  let hasSpoken = false;
  let onFrame: (frame: Frame) => void = () => {};
  let settle: (answer: Frame | Ended) => void = () => {};
  const end = new Promise<void>((resolve) => {
    const finish = (how: string, isKilled: boolean) => {
      guarded.killAll();
      guarded.afterOutput(() => {
        const said = tail.text().trim();
        ended = { ended: said === "" ? how : `${how}: ${said}`, isUnfit: !hasSpoken && !isKilled };
        settle(ended);
        resolve();
      });
    };
    child.once("error", (error) => finish(guarded.wordProblem(error), false));
    // The shell that guards it reports its death by a signal as 128 and more.
    child.once("exit", (code, signal) => finish(`claude ended with ${code ?? signal}`, code === null || code > 128));
  });
  child.stderr?.on("data", tail.push);
  // It may end before it has read what is sent; its end is the news then.
  child.stdin?.on("error", () => {});
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const frame = parseJson(line);
      if (!isRecord(frame)) {
        tail.push(Buffer.from(`${line}\n`));
        return;
      }
      hasSpoken = true;
      onFrame(frame);
      if (frame.type === "result") settle(frame);
    });
  }
  const send = (value: object) => child.stdin?.write(`${JSON.stringify(value)}\n`);
  return {
    get isAlive() {
      return ended === null;
    },
    ask(text, watch) {
      if (ended !== null) return Promise.resolve(ended);
      return new Promise((resolve) => {
        onFrame = watch;
        settle = (answer) => {
          onFrame = () => {};
          settle = () => {};
          resolve(answer);
        };
        send({ type: "user", message: { role: "user", content: text } });
      });
    },
    interrupt() {
      send({ type: "control_request", request_id: "interrupt", request: { subtype: "interrupt" } });
    },
    async close() {
      child.stdin?.end();
      const timer = setTimeout(() => guarded.killAll(), graceMs);
      await end;
      clearTimeout(timer);
    },
  };
}
