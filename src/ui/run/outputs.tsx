import type { RunContext } from "../../serve/contract/query-answers.ts";
import { ask } from "../api/calls.ts";
import { useLive } from "../api/live.ts";
import { useLoaded } from "../api/load.ts";
import { Icon } from "../parts/icon.tsx";
import { Loading, ProblemNote } from "../parts/notes.tsx";
import { Lines, Words } from "../parts/words.tsx";
import { pastHref } from "../route/route.ts";
import { isAbout } from "./about.ts";

interface Props {
  readonly project: string;
  readonly run: string;
}

/** What was asked for, what was decided, and what each step has answered last. */
export function Outputs({ project, run }: Props) {
  const context = useLoaded("context", (signal) => ask<RunContext>(project, "context", { run }, signal));
  useLive((message) => isAbout(message, project, run) && context.reload());
  const { value } = context.data;
  if (value === null) {
    return context.problem.value === null ? (
      <Loading what="outputs" />
    ) : (
      <ProblemNote problem={context.problem.value} />
    );
  }
  const outputs = Object.entries(value.outputs).toReversed();
  return (
    <div class="stack">
      {value.request !== undefined && (
        <section>
          <h2>What was asked for</h2>
          <Lines label="What was asked for" text={value.request} />
        </section>
      )}
      <Decisions project={project} run={run} decisions={value.decisions} />
      <section>
        <h2>Outputs, newest first</h2>
        {outputs.length === 0 && <p class="muted">No step has ended yet.</p>}
        {outputs.map(([key, text], index) => (
          <details key={key} class="output" open={index < 2}>
            <summary>
              <span class="mono">
                <Words text={key} />
              </span>
              {value.shortened.includes(key) && <span class="muted">shortened</span>}
            </summary>
            {text.trim() === "" ? <p class="muted">Empty</p> : <Lines label={`Output of ${key}`} text={text} />}
          </details>
        ))}
      </section>
      <Rules rules={value.rules} />
    </div>
  );
}

function Decisions({ project, run, decisions }: Props & Pick<RunContext, "decisions">) {
  if (decisions.length === 0) return null;
  return (
    <section>
      <h2>Decisions</h2>
      <ul class="decisions">
        {decisions.toReversed().map(({ event, step, what, by, text }) => (
          <li key={`${event} ${what}`}>
            <Icon name={by === null ? "action" : "person"} />
            <div>
              <p>
                <strong>
                  <Words text={what} />
                </strong>{" "}
                in <Words text={step} />
                {by !== null && (
                  <>
                    {" "}
                    by <Words text={by} />
                  </>
                )}
              </p>
              {text !== "" && (
                <p class="muted">
                  <Words text={text} />
                </p>
              )}
            </div>
            <a class="event-number number" href={pastHref(project, run, event)} title="The run as it was then">
              {event}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Rules({ rules }: Pick<RunContext, "rules">) {
  const { visit, requiredReading, keyReminders, variables } = rules;
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ["Rules of this visit", visit],
    ["Required reading", requiredReading],
    ["Reminders", keyReminders],
    ["Variables", Object.entries(variables).map(([name, value]) => `${name} = ${asText(value)}`)],
  ];
  const filled = groups.filter(([, lines]) => lines.length > 0);
  return (
    <>
      {filled.map(([name, lines]) => (
        <section key={name}>
          <h2>{name}</h2>
          <ul class="plain-list">
            {lines.map((line) => (
              <li key={line}>
                <Words text={line} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
