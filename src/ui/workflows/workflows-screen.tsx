export function WorkflowsScreen() {
  return <h1>Workflows</h1>;
}
