import type { ComponentChildren } from "preact";
import type { Problem } from "../api/request.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Words } from "./words.tsx";

interface ProblemProps {
  readonly problem: Problem;
  /** What was tried, where that cannot be seen. */
  readonly about?: string;
  readonly children?: ComponentChildren;
}

/** One clear message for whatever went wrong, with what to do next. */
export function ProblemNote({ problem, about, children }: ProblemProps) {
  return (
    <div class="note note-failed" role="alert">
      <Icon name="warning" />
      <div>
        {about !== undefined && (
          <p>
            <Words text={about} />
          </p>
        )}
        <p class="note-title">
          <Words text={problem.message} />
        </p>
        {problem.next !== "" && (
          <p class="note-next">
            <Words text={problem.next} />
          </p>
        )}
      </div>
      {children}
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** What a screen shows instead of an empty list: what to do first. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Keeps the place of what is being read. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}
