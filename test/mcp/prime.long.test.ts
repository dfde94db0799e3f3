import { expect, test } from "vitest";
import { faberProject } from "../cli/faber.ts";
import { serveHere } from "./serve.ts";

test("what gates let through while nobody waited is not lost for the model", async () => {
  const project = faberProject({
    always: ['id: rules, type: text, path: rules.txt, reload_triggers: ["step_start:architect"]'],
  });
  const held = project.read(".holdfast/workflows/faber.yaml").replace("Do frame", "Do frame, gate: [{ run: sleep 2 }]");
  project.write(".holdfast/workflows/faber.yaml", held);
  project.write(".holdfast/config.yaml", "patience_seconds: 0.2\n");
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  project.write("rules.txt", "Mind the gap.\n");
  const server = await serveHere(project);
  await server.ok("workflow_start", { workflow: "faber" });
  expect(await server.no("workflow_advance", { output: "x" })).toMatchObject({ code: "gate-running" });
  for (;;) {
    const { isError, structuredContent } = await server.call("workflow_advance", { output: "x" });
    if (isError === true) {
      expect(structuredContent.error.code).toBe("gate-running");
      continue;
    }
    expect(structuredContent).toMatchObject({ step: "architect" });
    expect(structuredContent.artifacts).toContain("Mind the gap.");
    break;
  }
});
