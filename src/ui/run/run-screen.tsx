import { Words } from "../parts/words.tsx";

export function RunScreen({ run }: { readonly project: string; readonly run: string }) {
  return (
    <h1>
      <Words text={run} />
    </h1>
  );
}
