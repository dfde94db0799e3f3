import type { WorkflowProblem } from "../../serve/contract/contract.ts";
import { Icon } from "../parts/icon.tsx";
import { Words } from "../parts/words.tsx";

interface Props {
  readonly file: string;
  readonly source: string;
  readonly problems: readonly WorkflowProblem[];
}

/** The text of a workflow, with every problem below its line. */
export function SourceLines({ file, source, problems }: Props) {
  const lines = source.replace(/\n$/, "").split("\n");
  const own = problems.filter((problem) => problem.file === null && problem.line !== null);
  const others = problems.filter((problem) => !own.includes(problem));
  return (
    <>
      {others.length > 0 && (
        <ul class="source-others">
          {others.map((problem, index) => (
            <li key={index}>
              <ProblemLine problem={problem} />
            </li>
          ))}
        </ul>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <section class="lines source" tabIndex={0} aria-label={`The text of ${file}`}>
        <ol>
          {lines.map((line, index) => (
            <SourceLine
              key={index}
              number={index + 1}
              text={line}
              problems={own.filter((problem) => problem.line === index + 1)}
            />
          ))}
        </ol>
      </section>
    </>
  );
}

interface LineProps {
  readonly number: number;
  readonly text: string;
  readonly problems: readonly WorkflowProblem[];
}

function SourceLine({ number, text, problems }: LineProps) {
  const worst = problems.some(({ severity }) => severity === "error") ? "error" : problems[0]?.severity;
  return (
    <li class={worst === undefined ? undefined : `source-${worst}`} id={`line-${number}`}>
      <span class="source-number number" aria-hidden="true">
        {number}
      </span>
      <code class="source-text">
        <Words text={text === "" ? " " : text} />
      </code>
      {problems.map((problem, index) => (
        <ProblemLine key={index} problem={problem} />
      ))}
    </li>
  );
}

function ProblemLine({ problem }: { readonly problem: WorkflowProblem }) {
  const { severity, message, path, file, line } = problem;
  return (
    <span class={`source-problem source-problem-${severity}`}>
      <Icon name="warning" />
      <span>
        <span class="unseen">{severity === "error" ? "Error: " : "Warning: "}</span>
        {file !== null && (
          <>
            <Words text={line === null ? file : `${file}:${line}`} />{" "}
          </>
        )}
        {path !== "" && (
          <code>
            <Words text={path} />
          </code>
        )}{" "}
        <Words text={message} />
      </span>
    </span>
  );
}
