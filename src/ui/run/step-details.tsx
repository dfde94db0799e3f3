import type { GraphNode } from "../../serve/contract/run-answers.ts";
import { count, dollars, minutes, plural } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { lookOf, StatusMark } from "../parts/mark.tsx";
import { Words } from "../parts/words.tsx";
import { setQuery } from "../route/route.ts";

interface Props {
  readonly node: GraphNode;
  /** Where it leads. */
  readonly next: string | null;
  readonly onClose: () => void;
}

/** Everything about one step of the graph. */
export function StepDetails({ node, next, onClose }: Props) {
  const facts: readonly (readonly [string, string])[] = [
    ["Time", minutes(node.minutes)],
    ["Visits", count(node.visits)],
    ["Retries", String(node.retries)],
    ["Gates passed", String(node.gatesPassed)],
    ["Gates failed", String(node.gatesFailed)],
    ["Tokens", count(node.tokens)],
    ["Cost", dollars(node.cost)],
  ];
  return (
    <section class="panel step-details" aria-label={`Step ${node.id}`}>
      <header>
        <h2>
          <Words text={node.id} />
        </h2>
        <StatusMark status={node.status} />
        <span class="muted">{node.type}</span>
        <button type="button" class="button button-quiet" onClick={() => setQuery({ tab: "timeline", find: node.id })}>
          Show its visits
        </button>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <dl class="numbers">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="number">{value}</dd>
          </div>
        ))}
      </dl>
      {next !== null && (
        <p class="muted">
          Leads to: <Words text={next} />
        </p>
      )}
      {node.gates.length > 0 && (
        <>
          <h3>Before it may end</h3>
          <ul class="gate-list">
            {node.gates.map((gate) => (
              <li key={gate}>
                <Icon name="gate" />
                <Words text={gate} />
              </li>
            ))}
          </ul>
        </>
      )}
      {node.subSteps.length > 0 && (
        <p class="muted">
          Each task: <Words text={node.subSteps.join(" → ")} />
        </p>
      )}
      {node.tasks !== null && <Tasks tasks={node.tasks} />}
    </section>
  );
}

function Tasks({ tasks }: { readonly tasks: NonNullable<GraphNode["tasks"]> }) {
  const { shown, total, done, failed } = tasks;
  const left = total - shown.length;
  return (
    <>
      <h3>
        {done} of {plural(total, "task")} done{failed > 0 ? `, ${failed} failed` : ""}
      </h3>
      <ul class="task-list">
        {shown.map(({ id, title, status }) => (
          <li key={id}>
            <span class={`mark mark-${lookOf(status).tone}`}>
              <Icon name={lookOf(status).icon} />
              <span class="unseen">{lookOf(status).name}</span>
            </span>
            <span class="task-id mono">
              <Words text={id} />
            </span>
            <Words text={title} />
          </li>
        ))}
      </ul>
      {left > 0 && <p class="muted">{plural(left, "more task")} not shown</p>}
    </>
  );
}
