import { Words } from "../parts/words.tsx";

export function WorkflowScreen({ name }: { readonly project: string; readonly name: string }) {
  return (
    <h1>
      <Words text={name} />
    </h1>
  );
}
