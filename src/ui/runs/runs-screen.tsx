export function RunsScreen() {
  return <h1>Runs</h1>;
}
