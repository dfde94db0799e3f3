export function InboxScreen() {
  return <h1>Inbox</h1>;
}
