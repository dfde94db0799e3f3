import * as z from "zod";
import type { Template } from "../../model/template.ts";
import { coverLines, needsTrust } from "../../model/trust/cover.ts";
import { declarationOf } from "../../model/variables/declared.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import type { WorkflowDetails, WorkflowProblem, WorkflowVariable } from "../../serve/contract/contract.ts";
import type { Problem } from "../../templates/problem.ts";
import { findEntry, listWorkflows, readWorkflow, readWorkflowFile, shortPath } from "../workflows/catalog.ts";
import { checkTrust, trustableWorkflow } from "../workflows/trust.ts";

export const showWorkflow = defineOperation({
  summary: "Everything about a workflow for a person who wants to check, trust or start it.",
  input: z.strictObject({ workflow: z.string().describe("A workflow's name, or the path of its file.") }),
  async run(deps, { workflow }): Promise<Outcome<WorkflowDetails>> {
    const entry = await findEntry(deps, workflow);
    if (entry === null) {
      return no({ code: "workflow-unknown", workflow, known: (await listWorkflows(deps)).map(({ name }) => name) });
    }
    const source = new TextDecoder().decode(readWorkflowFile(deps, entry.file));
    const reading = await readWorkflow(deps, entry.file);
    const problems = [...(reading.ok ? [] : reading.problems), ...reading.warnings].map(problemRow);
    const facts = { name: entry.name, origin: entry.origin, file: shortPath(deps, entry.file), source, problems };
    if (!reading.ok) return yes({ ...facts, description: "", hash: null, variables: [], trust: null });
    const { template, hash } = reading;
    const { description } = template;
    return yes({
      ...facts,
      description,
      hash,
      variables: variablesOf(template),
      trust: await trustOf(deps, entry.name, template),
    });
  },
});

function problemRow({ severity, path, message, position, file }: Problem): WorkflowProblem {
  return {
    severity,
    path,
    message,
    line: position?.line ?? null,
    column: position?.column ?? null,
    file: file ?? null,
  };
}

function variablesOf(template: Template): WorkflowVariable[] {
  return Object.entries(template.variables ?? {}).map(([name, declared]) => {
    const declaration = declarationOf(template, name);
    const short = typeof declared === "object" ? undefined : declared;
    return {
      name,
      type: declaration?.type ?? null,
      isRequired: declaration?.required === true && declaration.default === undefined,
      default: declaration === null ? (short ?? null) : (declaration.default ?? null),
      description: declaration?.description ?? null,
      choices: declaration?.choices ?? null,
      pattern: declaration?.pattern ?? null,
    };
  });
}

async function trustOf(deps: Deps, name: string, template: Template): Promise<WorkflowDetails["trust"]> {
  const trustable = trustableWorkflow(name, template, {});
  const untrusted = await checkTrust(deps, trustable);
  return {
    isNeeded: needsTrust(trustable.cover),
    isGiven: untrusted === null,
    covers: coverLines(trustable.cover),
    changes: untrusted?.refusal.changes ?? [],
  };
}
