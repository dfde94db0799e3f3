/** Nearly every word of the language in one workflow. */
export const everything = `name: feature                       # required
description: Build a feature        # required
type: implementation                # planning | qa-loop | implementation | custom (default)
agents:
  implementer: { description: writes code, tools: [read, write], cannot: [commit] }
variables: { plan_number: 1 }       # shown as \`context\` on the state card and in the handoff
required_reading: ["@docs/architecture.md"]
key_reminders: ["Run the tests after each component"]
hold: false                         # true: the Stop hook asks the agent to go on while the run is running
transitions:
  - { from: plan_review, to: build, context: clear, carry: [story, plan] }
loops:
  build:
    - { id: implement, agent: implementer, instructions: "Implement {task.title}", context: compact, on_fail: retry, max_retries: 2 }
    - { id: verify, instructions: "Verify it", gate: [{ run: npm test, timeout: 10m }] }
steps:
  - id: plan
    type: action
    phase: Design
    instructions: Write docs/plan.md
    artefacts: true
    gate: [{ exists: docs/plan.md }]
  - id: plan_review
    type: action
    instructions: Review the plan
    outcomes: { approved: build, needs_changes: plan }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 3, context: compact, instructions: Improve it, until: [{ run: npm run lint }] }
  - { id: ship, type: action, instructions: Release, gate: [{ approval: human }], budget: { turns: 12, minutes: 30 } }
`;
