export function CostsScreen() {
  return <h1>Costs</h1>;
}
