import { Graph, layout } from "@dagrejs/dagre";
import type { RunGraph } from "../../serve/contract/run-answers.ts";

type Edge = RunGraph["edges"][number];

export interface Box {
  readonly id: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Arrow {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly path: string;
  /** It leads to an earlier step. */
  readonly isBack: boolean;
  readonly label: { readonly text: string; readonly x: number; readonly y: number } | null;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
  /** Where an edge leads that is no step, such as the end of the workflow. */
  readonly ends: readonly Box[];
}

export interface Size {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const endSize = { width: 104, height: 30 };
const margin = 16;
const lane = 18;
const bend = 10;

/**
 * Places the steps from top to bottom, in their own order: dagre lays out forward edges; backward edges get lanes on the
 * left, each its own, so that they cross nothing and change no order.
 */
export function draw(steps: readonly Size[], edges: readonly Edge[]): Drawing {
  const order = new Map(steps.map(({ id }, index) => [id, index]));
  const rankOf = (id: string) => order.get(id) ?? steps.length;
  const drawn = joined(edges.filter(({ from, to }) => from !== to && order.has(from)));
  const forth = drawn.filter(({ from, to }) => rankOf(from) < rankOf(to));
  const back = drawn.filter(({ from, to }) => rankOf(from) > rankOf(to));
  const lanes = lanesFor(back.map(({ from, to }) => [rankOf(to), rankOf(from)]));
  const widest = Math.max(0, ...back.map(({ label }) => (label === null ? 0 : labelWidth(label))));
  const gutter = back.length === 0 ? 0 : Math.max(...lanes, 0) * lane + lane + widest / 2;
  const graph = laidOut(steps, forth, rankOf);
  const ends = [...new Set(forth.map(({ to }) => to).filter((to) => !order.has(to)))];
  const box = (id: string): Box => {
    const { x, y, width, height } = graph.node(id) as Point & Size;
    return { id, left: gutter + x - width / 2, top: y - height / 2, width, height };
  };
  const boxes = new Map([...steps.map(({ id }) => id), ...ends].map((id) => [id, box(id)]));
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const leftmost = Math.min(...[...boxes.values()].map(({ left }) => left));
  return {
    width: width + gutter,
    height,
    boxes: steps.map(({ id }) => box(id)),
    ends: ends.map(box),
    arrows: [
      ...forth.map((edge) => forthArrow(graph, edge, gutter)),
      ...back.map((edge, index) => backArrow(edge, boxes, leftmost - lane * ((lanes[index] ?? 0) + 1) + bend / 2)),
    ],
  };
}

/** One line for all outcomes that lead from one step to the same other one. */
function joined(edges: readonly Edge[]): readonly Edge[] {
  const byPlaces = new Map<string, Edge>();
  for (const { from, to, label } of edges) {
    const key = JSON.stringify([from, to]);
    const before = byPlaces.get(key)?.label ?? null;
    const labels = [before, label].filter((each) => each !== null);
    byPlaces.set(key, { from, to, label: labels.length === 0 ? null : [...new Set(labels)].join(", ") });
  }
  return [...byPlaces.values()];
}

function laidOut(steps: readonly Size[], forth: readonly Edge[], rankOf: (id: string) => number): Graph {
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 40, edgesep: 24, marginx: margin, marginy: margin });
  for (const { id, width, height } of steps) graph.setNode(id, { width, height });
  for (const { from, to } of forth) {
    if (rankOf(to) === steps.length) graph.setNode(to, { ...endSize });
    graph.setEdge(from, to, { weight: rankOf(to) === rankOf(from) + 1 ? 20 : 1 });
  }
  layout(graph);
  return graph;
}

function forthArrow(graph: Graph, { from, to, label }: Edge, gutter: number): Arrow {
  const laid = graph.edge(from, to) as { readonly points: readonly Point[] };
  const points = laid.points.map(({ x, y }) => ({ x: x + gutter, y }));
  const middle = points[Math.floor(points.length / 2)];
  return {
    key: `${from} ${to}`,
    from,
    to,
    path: rounded(points),
    isBack: false,
    label: label === null || middle === undefined ? null : { text: label, ...middle },
  };
}

/** Out to the left, up the lane, and in again. */
function backArrow({ from, to, label }: Edge, boxes: ReadonlyMap<string, Box>, x: number): Arrow {
  const [low, high] = [boxes.get(from), boxes.get(to)];
  if (low === undefined || high === undefined) throw new Error(`no box for ${from} or ${to}`);
  const [start, end] = [low.top + low.height / 2 - 6, high.top + high.height / 2 + 6];
  const path = [
    `M${at({ x: low.left, y: start })} H${x + bend}`,
    `Q${at({ x, y: start })} ${at({ x, y: start - bend })} V${end + bend}`,
    `Q${at({ x, y: end })} ${at({ x: x + bend, y: end })} H${high.left}`,
  ].join(" ");
  const y = (start + end) / 2;
  return {
    key: `${from} ${to}`,
    from,
    to,
    path,
    isBack: true,
    label: label === null ? null : { text: label, x, y },
  };
}

/** For each span the first lane in which it meets no other. */
function lanesFor(spans: readonly (readonly [number, number])[]): readonly number[] {
  const taken: [number, number][][] = [];
  return spans.map(([top, bottom]) => {
    const free = taken.findIndex((lane) => lane.every(([from, to]) => bottom < from || top > to));
    const index = free === -1 ? taken.length : free;
    taken[index] = [...(taken[index] ?? []), [top, bottom]];
    return index;
  });
}

export function labelWidth(text: string): number {
  return Math.min(120, text.length * 6.6 + 14);
}

/** A line through the points that bends softly. */
function rounded(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return "";
  let path = `M${at(first)}`;
  for (const [index, point] of rest.slice(0, -1).entries()) {
    const next = rest[index + 1] ?? last;
    const middle = index === rest.length - 2 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    path += ` Q${at(point)} ${at(middle)}`;
  }
  return rest.length === 1 ? `${path} L${at(last)}` : path;
}

function at({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;
}
