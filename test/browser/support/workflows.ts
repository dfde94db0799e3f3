/** The workflows of the project that the tests look at. They are small, and have everything that a screen can show. */
export const feature = `name: feature
description: From a request to shipped code, with a person before the end
steps:
  - id: clarify
    type: action
    instructions: Read the request and find out what is unclear. Ask rather than guess.
  - id: plan
    type: action
    instructions: Write a plan for {run.summary}. Name the files, the risks and the tests.
  - id: review
    type: action
    context: clear
    instructions: "Read the plan with fresh eyes: {outputs.plan}"
    outcomes: { approved: next, needs_changes: plan }
  - { id: build, type: loop, parallel: 2 }
  - id: ship
    type: action
    instructions: Write the notes for the release and open the pull request.
    gate: [{ run: [node, check.mjs], timeout: 30s }, { approval: human }]
loops:
  build:
    - { id: implement, instructions: "Implement {task.title}", max_retries: 1 }
    - { id: verify, instructions: "Run the tests of {task.title}" }
`;

export const bugfix = `name: bugfix
description: Reproduce, fix, verify
budget: { turns: 40 }
steps:
  - id: reproduce
    type: action
    instructions: Write a test that fails because of {run.summary}.
    budget: { turns: 3 }
  - id: fix
    type: action
    instructions: Make the test pass without changing it.
    max_retries: 1
    gate: [{ run: [node, check.mjs], timeout: 30s }]
  - { id: verify, type: action, instructions: Run everything once more. }
`;

export const release = `name: release
description: Publish a version
variables:
  version: { type: text, required: true, description: What it will be called, pattern: "[0-9]+\\\\.[0-9]+\\\\.[0-9]+" }
  channel: { type: choice, choices: [stable, beta, nightly], default: beta, description: Who gets it }
  rounds: { type: number, default: 2, description: How often the tests run }
  dry_run: { type: flag, default: true, description: Publish nothing }
  notes: { type: path, default: docs/notes.md }
steps:
  - { id: notes, type: action, instructions: "Write {vars.notes} for {vars.version} ({vars.channel})" }
  - { id: test, type: command, run: "node check.mjs", timeout: 60s }
  - id: publish
    type: action
    instructions: "Publish {vars.version}"
    gate: [{ run: "node check.mjs --strict", timeout: 60s }, { approval: human }]
`;

/** Three mistakes, each at a line of its own. */
export const broken = `name: broken
description: A workflow with mistakes
steps:
  - { id: plan, type: action, instructions: "Plan {outputs.nothing}" }
  - { id: build, type: acton, instructions: Build it }
  - { id: ship, type: action, instructions: Ship it, outcomes: { good: nowhere } }
`;

export const driven = `name: driven
description: Three steps for an agent that Holdfast drives
steps:
  - { id: look, type: action, instructions: Look around }
  - { id: work, type: action, instructions: Do the work }
  - { id: tell, type: action, instructions: Tell what was done }
`;
