import { expect, test } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { addWorkflow, type Json, type Server, serve } from "./serve.ts";

const rounds = 12;
const workflow = `steps: [{ id: work, type: ralph, n: ${rounds}, instructions: Improve it }, { id: end, type: action, instructions: End }]`;

interface Answered {
  readonly who: string;
  readonly error?: Json;
  readonly token?: string;
  readonly replayed?: true;
}

async function begin(): Promise<{ project: Project; servers: readonly [Server, Server] }> {
  const project = createProject();
  addWorkflow(project, "work", workflow);
  for (let file = 0; file < 30; file++) project.write(`files/${file}.txt`, "x");
  const one = await serve(project, { env: { HOLDFAST_SESSION: "one" } });
  const two = await serve(project, { env: { HOLDFAST_SESSION: "two" } });
  await one.ok("workflow_start", { workflow: "work" });
  return { project, servers: [one, two] };
}

const tokenOf = (round: number) => `work/${round}#1`;

test("of two servers and a command line that end the same visit at once, one wins and the others are told where the run stands", async () => {
  const { project, servers } = await begin();
  const winners: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const token = tokenOf(round);
    const next = round < rounds ? tokenOf(round + 1) : "end#1";
    const byServer = servers.map(async (server, index): Promise<Answered> => {
      const who = `server ${index + 1}`;
      return {
        who,
        ...(await server.call("workflow_advance", { output: `${who} ${round}`, token })).structuredContent,
      };
    });
    // A process takes its time to start, so it comes in only some of the rounds.
    const byLine = (round % 4 === 0 ? [0] : []).map(async (): Promise<Answered> => {
      const who = "command line";
      return { who, ...(await project.json(["advance", "--output", `${who} ${round}`, "--token", token])).value };
    });
    const answers = await Promise.all([...byServer, ...byLine]);
    const won = answers.filter((answer) => answer.error === undefined);
    expect(won.map((answer) => answer.token)).toEqual([next]);
    for (const { who, error } of answers.filter((answer) => answer.error !== undefined)) {
      const look = who === "command line" ? "run `holdfast next`" : "call workflow_status";
      expect(error).toEqual({
        code: "step-stale",
        message: `the visit ${token} has already ended with a different result`,
        next: `${look}, then advance with the current token, ${next}`,
      });
    }
    winners.push(`${won[0]?.who} ${round}`);
  }
  const { outputs } = await servers[0].ok("workflow_context");
  expect(Object.values(outputs)).toEqual(winners);
});

test("the same advance from everywhere at once is made once and replayed to the others", async () => {
  const { project, servers } = await begin();
  for (let round = 1; round <= 6; round++) {
    const sent = { output: `round ${round}`, token: tokenOf(round) };
    const calls = [...servers, ...servers].map((server) => server.ok("workflow_advance", sent));
    const answers = await Promise.all(calls);
    expect(answers.map(({ token }) => token)).toEqual(Array(4).fill(tokenOf(round + 1)));
  }
  const before = project.journal();
  for (let round = 1; round <= 6; round++) {
    const sent = { output: `round ${round}`, token: tokenOf(round) };
    for (const server of servers) {
      const again = await server.ok("workflow_advance", sent);
      expect(again).toMatchObject({ token: tokenOf(round + 1), replayed: true });
    }
  }
  const line = await project.json(["advance", "--output", "round 3", "--token", tokenOf(3)]);
  expect(line).toMatchObject({ code: 0, value: { token: tokenOf(4), replayed: true } });
  expect(project.journal()).toBe(before);
});

test("what several processes register at once is all there, and each path is somebody's exactly once", async () => {
  const { servers } = await begin();
  const all = Array.from({ length: 30 }, (_, file) => `files/${file}.txt`);
  const shares = Array.from({ length: 10 }, (_, share) => all.slice(share * 2, share * 2 + 12));
  const answers = await Promise.all(
    shares.flatMap((paths) => servers.map((server) => server.ok("register_artefacts", { paths }))),
  );
  const registered = answers.flatMap((answer): string[] => answer.registered);
  expect([...registered].sort()).toEqual([...all].sort());
  for (const [index, { registered: mine, duplicates }] of answers.entries()) {
    expect([...mine, ...duplicates].sort()).toEqual([...(shares[Math.floor(index / 2)] ?? [])].sort());
  }
  expect([...(await servers[1].ok("workflow_status")).artefacts].sort()).toEqual([...all].sort());
});

test("two servers that start the same workflow at once end up on live runs that both can name", async () => {
  const { servers } = await begin();
  const started = await Promise.all(servers.map((server) => server.ok("workflow_start", { workflow: "work" })));
  expect(new Set(started.map(({ runId }) => runId)).size).toBe(1);
});
