import type { GraphNode } from "../../serve/contract/run-answers.ts";
import { count, dollars, minutes, whole } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { lookOf } from "../parts/mark.tsx";
import { Words } from "../parts/words.tsx";

export const nodeWidth = 256;

export function nodeHeight({ tasks }: GraphNode): number {
  return tasks === null ? 66 : 92;
}

interface Props {
  readonly node: GraphNode;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (step: string) => void;
}

/** A step with its state as an icon, a word and a colour, and what it has taken so far. */
export function StepNode({ node, isCurrent, isChosen, onChoose }: Props) {
  const { icon, name, tone } = lookOf(node.status);
  return (
    <button
      type="button"
      class={`node node-${tone} ${isCurrent ? "node-current" : ""}`}
      aria-pressed={isChosen}
      onClick={() => onChoose(node.id)}
    >
      <span class="node-top">
        <span class={`mark mark-${tone}`}>
          <Icon name={icon} />
        </span>
        <span class="node-name one-line">
          <Words text={node.id} />
        </span>
        <span class="node-status">{name}</span>
      </span>
      <span class="node-facts">
        <Facts node={node} />
      </span>
      {node.tasks !== null && <TaskStrip tasks={node.tasks} />}
    </button>
  );
}

interface Fact {
  readonly icon: IconName;
  readonly text: string;
  readonly words: string;
}

/** Before a step was entered there is nothing to count, so it says what it is. */
function Facts({ node }: { readonly node: GraphNode }) {
  const { visits, minutes: took, retries, gatesPassed, gatesFailed, cost, tokens, gates } = node;
  const facts: (Fact | false)[] = [
    visits === 0 && { icon: iconOf(node.type), text: node.type, words: "type" },
    visits > 0 && { icon: "clock", text: minutes(took), words: "taken" },
    visits > 1 && node.tasks === null && { icon: "loop", text: `${count(visits)}×`, words: "visits" },
    retries > 0 && { icon: "retry", text: String(retries), words: "retries" },
    gatesPassed + gatesFailed > 0 && {
      icon: "gate",
      text: gatesFailed === 0 ? String(gatesPassed) : `${gatesPassed}/${gatesPassed + gatesFailed}`,
      words: gatesFailed === 0 ? "gates passed" : "gates passed of those checked",
    },
    visits === 0 && gates.length > 0 && { icon: "gate", text: String(gates.length), words: "gates" },
    cost > 0 && { icon: "coin", text: dollars(cost).slice(1), words: "dollars" },
    cost === 0 && tokens > 0 && { icon: "coin", text: count(tokens), words: "tokens" },
  ];
  return (
    <>
      {facts.map((fact) =>
        fact === false ? null : (
          <span key={fact.icon + fact.words} class="fact number" title={`${fact.text} ${fact.words}`}>
            <Icon name={fact.icon} />
            {fact.text}
            <span class="unseen"> {fact.words}, </span>
          </span>
        ),
      )}
    </>
  );
}

function iconOf(type: string): IconName {
  if (type === "loop" || type === "ralph") return "loop";
  return type === "command" ? "command" : "action";
}

const mostTicks = 40;

/** One tick for each task, as far as they fit, and how many are done. */
function TaskStrip({ tasks }: { readonly tasks: NonNullable<GraphNode["tasks"]> }) {
  const { shown, total, done, failed } = tasks;
  const isFew = total <= mostTicks && shown.length === total;
  return (
    <span class="strip">
      {isFew ? (
        <span class="strip-ticks" aria-hidden="true">
          {shown.map((task) => (
            <span key={task.id} class={`tick tick-${task.status}`} />
          ))}
        </span>
      ) : (
        <svg class="strip-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="bar-all" width="100" height="6" />
          <rect class="bar-done" width={share(done, total)} height="6" />
          <rect class="bar-failed" x={share(done, total)} width={share(failed, total)} height="6" />
        </svg>
      )}
      <span class="number">
        {whole(done)}/{whole(total)}
        <span class="unseen"> tasks done{failed > 0 ? `, ${failed} failed` : ""}</span>
      </span>
    </span>
  );
}

function share(part: number, total: number): number {
  return total === 0 ? 0 : (part / total) * 100;
}
