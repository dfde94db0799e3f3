/** The calls under way, so that a client can cancel one: it does so in a request of its own. */
export interface OpenCalls {
  /** Performs a call, whose signal is aborted when the client cancels it. Nobody can cancel a call of no known client. */
  perform<T>(client: string | null, id: unknown, act: (signal: AbortSignal) => Promise<T>): Promise<T>;
  cancel(client: string, id: unknown): void;
}

export function createOpenCalls(): OpenCalls {
  const open = new Map<string, AbortController>();
  const keyOf = (client: string, id: unknown) => `${client}\0${JSON.stringify(id)}`;
  return {
    async perform(client, id, act) {
      const controller = new AbortController();
      if (client === null) return act(controller.signal);
      const key = keyOf(client, id);
      open.set(key, controller);
      try {
        return await act(controller.signal);
      } finally {
        if (open.get(key) === controller) open.delete(key);
      }
    },
    cancel: (client, id) => open.get(keyOf(client, id))?.abort(),
  };
}
