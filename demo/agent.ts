// A small scripted agent. It has no memory: all it knows is the reply of `holdfast next`.
import { execFileSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

interface Answer {
  readonly status?: string;
  readonly step?: string;
  readonly token?: string;
  readonly contextAction?: string;
  readonly task?: { readonly id: string; readonly title: string; readonly subStep: string };
  readonly ralphIteration?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

const [, , cli = "", pace = "0"] = process.argv;

function holdfast(...words: string[]): Answer {
  try {
    return JSON.parse(execFileSync("node", [cli, ...words, "--json"], { encoding: "utf8" }));
  } catch (error) {
    // A refusal exits with 1 and has its reason on standard output.
    if (error instanceof Error && "stdout" in error && error.stdout) return JSON.parse(String(error.stdout));
    throw error;
  }
}

function advance(token: string, output: string): Answer {
  return holdfast("advance", "--token", token, "--output", output);
}

async function work(answer: Answer): Promise<void> {
  const { step, task, token = "" } = answer;
  await setTimeout(Number(pace));
  if (step === "plan") {
    writeFileSync("NOTES.md", "It greets the world, then says goodbye.\n");
    writeFileSync("tasks.txt", "It says hello\nIt says goodbye\n");
    holdfast("tasks", "build", "--file", "tasks.txt");
    advance(token, "wrote NOTES.md and set two tasks");
  } else if (task?.subStep === "implement") {
    appendFileSync("greeting.mjs", task.id === "t1" ? 'console.log("hello");\n' : 'console.log("goodby");\n');
    advance(token, `wrote the code for: ${task.title}`);
  } else if (task?.subStep === "verify") {
    const { error } = advance(token, "checked");
    if (error?.code !== "gate-failed") return;
    writeFileSync("greeting.mjs", 'console.log("hello");\nconsole.log("goodbye");\n');
    advance(token, "the check found a typo; fixed it");
  } else if (step === "polish") {
    appendFileSync("greeting.mjs", `// pass ${answer.ralphIteration ?? 0}\n`);
    advance(token, `pass ${answer.ralphIteration ?? 0}`);
  } else {
    advance(token, "a program that greets and says goodbye, checked by its own check");
  }
}

for (let answer = holdfast("next"); answer.error === undefined; answer = holdfast("next")) {
  if (answer.status === "complete") break;
  if (answer.contextAction === undefined) await work(answer);
}
