import type { Evidence, InboxItem } from "../../serve/contract/contract.ts";
import { projectName } from "../api/known.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago } from "../parts/now.tsx";
import { Lines, Words } from "../parts/words.tsx";
import { runHref } from "../route/route.ts";
import { Choices } from "./choices.tsx";
import { kinds } from "./kinds.ts";

interface Props {
  readonly item: InboxItem;
  readonly onDone: (words: string) => void;
}

/** One thing that waits: what is asked, what can be done, and what there is to look at before. */
export function InboxDetails({ item, onDone }: Props) {
  const { name, icon, mark } = kinds[item.kind];
  return (
    <article class="inbox-item" aria-labelledby="inbox-title">
      <div class="inbox-ask">
        <p class={`mark mark-${mark}`}>
          <Icon name={icon} />
          {name}
          <span class="muted">
            <Ago time={item.since} />
          </span>
        </p>
        <h2 id="inbox-title" class="inbox-title">
          <Words text={item.title} />
        </h2>
        <p class="inbox-run">
          <a href={runHref(item.project, item.runId)}>
            <Words text={item.summary ?? item.runId} />
          </a>
        </p>
        <dl class="inbox-facts">
          <Fact name="Project" value={projectName(item.project)} />
          <Fact name="Workflow" value={item.workflow} />
          <Fact name="Step" value={item.step} />
          {item.task !== null && <Fact name="Task" value={item.task} />}
        </dl>
        {item.text !== "" && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
          <section class="lines inbox-text" tabIndex={0} aria-labelledby="inbox-title">
            <Words text={item.text} />
          </section>
        )}
        <Choices key={item.id} item={item} onDone={onDone} />
      </div>
      <div class="inbox-evidence">
        {item.evidence.map((evidence, index) => (
          <EvidencePanel key={`${item.id} ${index}`} evidence={evidence} />
        ))}
      </div>
    </article>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Words text={value} />
      </dd>
    </div>
  );
}

function EvidencePanel({ evidence }: { readonly evidence: Evidence }) {
  return (
    <section class="evidence">
      <h3>
        <Words text={evidence.title} />
      </h3>
      <Lines text={evidence.text === "" ? "(nothing)" : evidence.text} label={evidence.title} />
      {evidence.isCut && <p class="muted evidence-cut">Shortened. The run has all of it.</p>}
    </section>
  );
}
