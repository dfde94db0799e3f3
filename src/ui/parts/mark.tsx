import type { Column } from "../../serve/contract/contract.ts";
import type { NodeStatus } from "../../serve/contract/run-answers.ts";
import { Icon, type IconName } from "./icon.tsx";

export const columnNames: Readonly<Record<Column, string>> = {
  "needs-you": "Needs you",
  working: "Working",
  waiting: "Waiting",
  done: "Done",
  failed: "Failed",
};

export const columns = Object.keys(columnNames) as readonly Column[];

export function ColumnMark({ column }: { readonly column: Column }) {
  return (
    <span class={`mark mark-${column}`}>
      <Icon name={column} />
      {columnNames[column]}
    </span>
  );
}

interface Look {
  readonly icon: IconName;
  readonly name: string;
  /** The colour, by what it means. */
  readonly tone: Column | "none";
}

const looks: Readonly<Record<NodeStatus | "closed", Look>> = {
  open: { icon: "working", name: "In progress", tone: "working" },
  done: { icon: "done", name: "Done", tone: "done" },
  failed: { icon: "failed", name: "Failed", tone: "failed" },
  skipped: { icon: "skipped", name: "Skipped", tone: "none" },
  left: { icon: "left", name: "Left", tone: "none" },
  closed: { icon: "left", name: "Closed", tone: "none" },
  ahead: { icon: "ahead", name: "Ahead", tone: "none" },
};

export function lookOf(status: NodeStatus | "closed"): Look {
  return looks[status];
}

export function StatusMark({ status }: { readonly status: NodeStatus | "closed" }) {
  const { icon, name, tone } = looks[status];
  return (
    <span class={`mark mark-${tone}`}>
      <Icon name={icon} />
      {name}
    </span>
  );
}
