import { render } from "preact";
import { CostsScreen } from "./costs/costs-screen.tsx";
import { InboxScreen } from "./inbox/inbox-screen.tsx";
import { Empty } from "./parts/notes.tsx";
import { PastScreen } from "./past/past-screen.tsx";
import { route } from "./route/route.ts";
import { RunScreen } from "./run/run-screen.tsx";
import { RunsScreen } from "./runs/runs-screen.tsx";
import { Shell } from "./shell/shell.tsx";
import { WorkflowScreen } from "./workflows/workflow-screen.tsx";
import { WorkflowsScreen } from "./workflows/workflows-screen.tsx";

function Screen() {
  const { value } = route;
  switch (value.screen) {
    case "runs":
      return <RunsScreen />;
    case "run":
      return <RunScreen key={`${value.project}/${value.run}`} project={value.project} run={value.run} />;
    case "past":
      return <PastScreen key={`${value.project}/${value.run}`} project={value.project} run={value.run} />;
    case "inbox":
      return <InboxScreen />;
    case "workflows":
      return <WorkflowsScreen />;
    case "workflow":
      return <WorkflowScreen key={`${value.project}/${value.name}`} project={value.project} name={value.name} />;
    case "costs":
      return <CostsScreen />;
    case "unknown":
      return (
        <Empty icon="search" title="There is no such page">
          <p>
            <a href="/runs">All runs</a>
          </p>
        </Empty>
      );
  }
}

const root = document.getElementById("page");
if (root !== null) {
  render(
    <Shell>
      <Screen />
    </Shell>,
    root,
  );
}
