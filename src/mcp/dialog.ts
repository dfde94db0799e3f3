import {
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { agentAmong } from "../hosts/agents.ts";
import { answeringHooks, type DialogPlace, dialogHostOf } from "../hosts/dialog/host-dialog.ts";
import { isRecord } from "../model/json.ts";
import type { Dialog, Form, FormAnswer, FormField } from "../operation/dialog.ts";
import { programOf } from "../platform/program-of.ts";
import { readSurroundings } from "../platform/surroundings.ts";

/** The forms that a server has shown. An answer to any other form is none. */
export interface ShownForms {
  readonly shown: Set<string>;
  readonly declined: Set<string>;
}

/** The dialog of the client, if it has one. In the newer protocol every call says so. */
export function createDialog(
  { mcpReq }: ServerContext,
  connected: ClientCapabilities | undefined,
  place: DialogPlace,
  { shown, declined }: ShownForms,
): Dialog | undefined {
  const told: unknown = Reflect.get(mcpReq.envelope ?? {}, "io.modelcontextprotocol/clientCapabilities");
  const { elicitation } = isRecord(told) ? told : (connected ?? {});
  if (!showsForms(elicitation)) return undefined;
  return {
    answered: answerIn(mcpReq.inputResponses ?? {}, shown),
    declined,
    counts: () => countsHere(place),
  };
}

/** A client that names no kind of dialog shows forms; that was the first kind. */
function showsForms(elicitation: unknown): boolean {
  return isRecord(elicitation) && ("form" in elicitation || Object.keys(elicitation).length === 0);
}

/** The result that makes the client show a form, and call again with the answer. */
export function showForm(form: Form, { shown }: ShownForms): InputRequiredResult {
  shown.add(form.name);
  const request = inputRequired.elicit({ message: form.message, requestedSchema: schemaOf(form) });
  return inputRequired({ inputRequests: { [form.name]: request } });
}

/**
 * An answer counts as a person's if the program that started this server is a known host that no agent has started, and none
 * of its hooks answers in the person's place. An agent that speaks to a server of its own is no such program.
 */
function countsHere(place: DialogPlace): boolean {
  const program = programOf(process.ppid);
  const host = dialogHostOf(program);
  return host !== null && answeringHooks(host, place, program).length === 0 && !isHostBelowAgent();
}

/** The nearest processes are the host and its launcher, so only their variables can tell that an agent has started them. */
function isHostBelowAgent(): boolean {
  let isHost = true;
  const marks = readSurroundings().ancestors.map(({ names, variables }) => {
    isHost &&= agentAmong([{ names, variables: [] }]) !== undefined;
    return { names: isHost ? [] : names, variables };
  });
  return agentAmong(marks) !== undefined;
}

/** A form is answered once; the same answer in another call is none. */
function answerIn(responses: Readonly<Record<string, unknown>>, shown: Set<string>): Dialog["answered"] {
  const form = Object.keys(responses).find((name) => shown.has(name));
  const response = form === undefined ? undefined : inputResponse(responses, form);
  if (form === undefined || response?.kind !== "elicit") return null;
  shown.delete(form);
  return { form, answer: response.action === "accept" ? filledIn(response.content ?? {}) : { type: "closed" } };
}

function filledIn(content: Readonly<Record<string, unknown>>): FormAnswer {
  const texts = Object.entries(content).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
  return { type: "answered", values: Object.fromEntries(texts) };
}

function schemaOf({ fields }: Form) {
  const named = Object.entries(fields);
  return {
    type: "object" as const,
    properties: Object.fromEntries(named.map(([name, field]) => [name, propertyOf(field)])),
    required: named.flatMap(([name, { isOptional }]) => (isOptional === true ? [] : [name])),
  };
}

function propertyOf({ title, description, choices }: FormField) {
  const about = { type: "string" as const, title, ...(description !== undefined && { description }) };
  return choices === undefined ? about : { ...about, enum: [...choices] };
}
