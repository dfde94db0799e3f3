/** A program that uses every entry of the package; it is compiled against the published types, and run on every Node. */
export const uses = `
import { type Decision, HoldfastError, isHoldfastError, loadTemplate, type Reading, RunEvent, StartedRun, Template } from "holdfast";
import { type ContextOptions, createContext, type ModelMessage } from "holdfast/context";
import { type AnthropicBody, toAnthropic } from "holdfast/context/adapters";
import { createTokenCounter } from "holdfast/context/tokenizer";
import { type ConformanceCase, storeConformance } from "holdfast/store/conformance";
import { loadWorkflowTemplateFromString, WorkflowStateMachine, type WorkflowState } from "holdfast/workflow";

const text = "{ name: two, description: Two steps, steps: [" +
  "{ id: plan, type: action, instructions: Plan it }, { id: ship, type: action, instructions: Ship it }] }";

const reading: Reading = loadTemplate(text);
const template: Template | null = reading.ok ? Template.parse(reading.template) : null;
const decision: Decision | null = null;

// Every schema has the full types of those that it contains.
const steps = (run: StartedRun): string[] => ("visits" in run ? run.visits.map(({ place }) => place.step) : []);
const isStarted = (value: unknown): boolean => StartedRun.safeParse(value).data?.status === "running";
// @ts-expect-error the step of a place is text
const wrong = (run: StartedRun): number | undefined => run.last?.step;
// @ts-expect-error no step has this type
const missing = (wanted: Template): boolean => wanted.steps[0]?.type === "unknown";

const machine = new WorkflowStateMachine(loadWorkflowTemplateFromString(text));
machine.start();
machine.advance("planned");
const saved: WorkflowState = machine.getState();
machine.advance("shipped");

const options: ContextOptions = {
  countTokens: createTokenCounter("anthropic"),
  limits: { window: 8_000, reserve: 1_000 },
  states: { WORK: { prompt: () => "You work.", kickoff: () => "Begin." } },
};
const context = createContext(options);
context.enter("WORK", {});
const messages: readonly ModelMessage[] = context.messages();
const body: AnthropicBody = toAnthropic(messages);

const [first]: readonly ConformanceCase[] = storeConformance;
const error = new HoldfastError("version-conflict", { run: "r", expected: 0 });

console.log(
  JSON.stringify({
    template: template?.name,
    decision,
    started: isStarted({}),
    checks: [steps, wrong, missing].length,
    event: RunEvent.safeParse({}).success,
    ended: machine.getStatus().status,
    later: WorkflowStateMachine.fromState(loadWorkflowTemplateFromString(text), saved).getStatus().status,
    tokens: options.countTokens("one two three") > 2,
    messages: body.messages.length,
    promise: first?.name,
    ours: isHoldfastError(error, "version-conflict"),
  }),
);
`;
