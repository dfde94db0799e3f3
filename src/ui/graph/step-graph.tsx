import { useEffect, useMemo, useRef } from "preact/hooks";
import type { GraphNode, RunGraph } from "../../serve/contract/run-answers.ts";
import { Icon } from "../parts/icon.tsx";
import { Words } from "../parts/words.tsx";
import { type Arrow, type Box, type Drawing, draw, labelWidth } from "./layout.ts";
import { nodeHeight, nodeWidth, StepNode } from "./step-node.tsx";

interface Props {
  readonly nodes: readonly GraphNode[];
  readonly edges: RunGraph["edges"];
  /** The steps that the run is in. */
  readonly current: readonly string[];
  readonly chosen: string | null;
  readonly onChoose: (step: string) => void;
}

/**
 * A workflow as a graph. The steps are a list of buttons in their own order, placed over the lines between them, so that
 * the keyboard and a screen reader get the same as everybody. What the lines say is told in the details of a step.
 */
export function StepGraph({ nodes, edges, current, chosen, onChoose }: Props) {
  const shape = JSON.stringify([nodes.map((node) => [node.id, nodeHeight(node)]), edges]);
  const drawing = useMemo(
    () =>
      draw(
        nodes.map((node) => ({ id: node.id, width: nodeWidth, height: nodeHeight(node) })),
        edges,
      ),
    [shape],
  );
  const field = useRef<HTMLDivElement>(null);
  const first = current[0];
  useEffect(() => {
    const here = field.current?.querySelector("[aria-current]");
    const frame = field.current;
    if (frame === null || !(here instanceof HTMLElement)) return;
    frame.scrollTo({ top: here.offsetTop - frame.clientHeight / 3, left: centre(drawing, frame) });
  }, [first, drawing]);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (
    <div ref={field} class="graph">
      <div class="graph-field" style={{ width: `${drawing.width}px`, height: `${drawing.height}px` }}>
        <Lines drawing={drawing} byId={byId} />
        <ol class="graph-steps" aria-label="Steps">
          {drawing.boxes.map((box) => {
            const node = byId.get(box.id);
            if (node === undefined) return null;
            const isCurrent = current.includes(box.id);
            return (
              <li key={box.id} style={placeOf(box)} aria-current={isCurrent ? "step" : undefined}>
                <StepNode node={node} isCurrent={isCurrent} isChosen={chosen === box.id} onChoose={onChoose} />
              </li>
            );
          })}
        </ol>
        {drawing.ends.map((box) => (
          <span key={box.id} class="graph-end" style={placeOf(box)}>
            <Icon name={box.id === "complete" ? "check" : "stop"} />
            <Words text={box.id === "complete" ? "Complete" : box.id} />
          </span>
        ))}
      </div>
    </div>
  );
}

function centre(drawing: Drawing, frame: HTMLElement): number {
  return Math.max(0, (drawing.width - frame.clientWidth) / 2);
}

function placeOf({ left, top, width, height }: Box) {
  return { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` };
}

function Lines({ drawing, byId }: { readonly drawing: Drawing; readonly byId: ReadonlyMap<string, GraphNode> }) {
  const isTaken = ({ from, to, isBack }: Arrow) => {
    const wasLeft = byId.get(from)?.status !== "ahead" && byId.get(from)?.status !== "open";
    const wasEntered = (byId.get(to)?.visits ?? 0) > 0;
    return !isBack && wasLeft && wasEntered;
  };
  return (
    <svg class="graph-lines" width={drawing.width} height={drawing.height} aria-hidden="true">
      <defs>
        {["line", "taken"].map((name) => (
          <marker
            key={name}
            id={`arrow-${name}`}
            class={`arrow-${name}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M1 1l6 3-6 3z" />
          </marker>
        ))}
      </defs>
      {drawing.arrows.map((arrow) => (
        <path
          key={arrow.key}
          d={arrow.path}
          class={`edge ${isTaken(arrow) ? "edge-taken" : ""} ${arrow.isBack ? "edge-back" : ""}`}
          marker-end={`url(#arrow-${isTaken(arrow) ? "taken" : "line"})`}
        />
      ))}
      {drawing.arrows.map(({ key, label }) =>
        label === null ? null : (
          <g key={key} class="edge-label">
            <rect
              x={label.x - labelWidth(label.text) / 2}
              y={label.y - 9}
              width={labelWidth(label.text)}
              height="18"
              rx="9"
            />
            <text x={label.x} y={label.y + 3.5}>
              {label.text.length > 17 ? `${label.text.slice(0, 16)}…` : label.text}
            </text>
          </g>
        ),
      )}
    </svg>
  );
}
