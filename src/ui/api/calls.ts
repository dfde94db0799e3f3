import type { Column, Costs, InboxItem, Me, ProjectRow, RunsPage } from "../../serve/contract/contract.ts";
import type { RunGraph, ShownText, Timeline } from "../../serve/contract/run-answers.ts";
import { get, type Input, post } from "./request.ts";

export interface RunsQuery {
  readonly search?: string | undefined;
  readonly column?: Column | undefined;
  readonly project?: string | undefined;
  readonly from?: number | undefined;
  readonly count?: number | undefined;
}

export const readMe = (signal?: AbortSignal) => get<Me>("/api/me", {}, signal);
export const readProjects = (signal?: AbortSignal) => get<readonly ProjectRow[]>("/api/projects", {}, signal);
export const readRuns = (query: RunsQuery, signal?: AbortSignal) => get<RunsPage>("/api/runs", { ...query }, signal);
export const readInbox = (signal?: AbortSignal) => get<readonly InboxItem[]>("/api/inbox", {}, signal);
export const readCosts = (asked: { days: number; project?: string | undefined }, signal?: AbortSignal) =>
  get<Costs>("/api/costs", asked, signal);

/** Calls an operation that only reads. */
export function ask<T>(project: string, operation: string, input: Input = {}, signal?: AbortSignal): Promise<T> {
  return get<T>(pathOf(project, operation), input, signal);
}

/** Calls an operation that changes something. */
export function perform<T = unknown>(
  project: string,
  operation: string,
  input: Readonly<Record<string, unknown>>,
): Promise<T> {
  return post<T>(pathOf(project, operation), input);
}

function pathOf(project: string, operation: string): string {
  return `/api/projects/${encodeURIComponent(project)}/${encodeURIComponent(operation)}`;
}

export const readGraph = (project: string, input: { run: string; at?: number }, signal?: AbortSignal) =>
  ask<RunGraph>(project, "run-graph", input, signal);
export const readTimeline = (
  project: string,
  input: { run: string; from: number; count: number; search?: string },
  signal?: AbortSignal,
) => ask<Timeline>(project, "timeline", input, signal);
export const readShown = (project: string, input: { run: string; at?: number }, signal?: AbortSignal) =>
  ask<ShownText>(project, "handoff", input, signal);
