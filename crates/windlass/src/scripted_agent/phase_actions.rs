//! What the agent does in the phases of a pipeline: the document that its prompt names.

use std::path::Path;

use windlass_core::spec::PipelinePhase;

use super::actions::{self, ToolOutput};
use super::plan_actions::between;

const PRD: &str = "\
# PRD

## Goals
- What was asked for is there.

## Requirements
- R1: The first file is there.
- R2: The second file is there, after the first.

## Success criteria
- Both files exist.
";

const ARCHITECTURE: &str = "\
# Architecture

## Components

### Files
Each holds a line.
- Files: `windlass-mock/T001.md`, `windlass-mock/T002.md`
- Requirements: R1, R2

## File structure
- `windlass-mock/`: what the scripted agent writes

## Technical decisions
- Plain files, since they can be looked at.
";

const TASKS: &str = "\
# Tasks

### T001: Write the first file
- **Status**: pending
- **Dependencies**: none
- **Files**: `windlass-mock/T001.md`
- **Complexity**: small
- **Description**: Write the first file (R1).
- **Success Criteria**:
  - file `windlass-mock/T001.md` exists

### T002: Write the second file
- **Status**: pending
- **Dependencies**: T001
- **Files**: `windlass-mock/T002.md`
- **Complexity**: small
- **Description**: Write the second file (R2).
- **Success Criteria**:
  - file `windlass-mock/T002.md` exists
  - it says who wrote it
";

/// The document that a prompt asks for.
pub fn asked_for(prompt: &str) -> Option<&str> {
    between(prompt, "Write the document, `", "`")
}

/// Writes a small document that holds.
pub fn draft(prompt: &str) -> ToolOutput {
    let path = asked_for(prompt).ok_or("The prompt names no document.")?;
    let is_of = |phase: &PipelinePhase| Path::new(path).ends_with(phase.document());
    let text = match PipelinePhase::all().find(is_of) {
        Some(PipelinePhase::Prd) => PRD,
        Some(PipelinePhase::Architecture) => ARCHITECTURE,
        Some(PipelinePhase::Tasks) => TASKS,
        None => return Err(format!("There is no such document: {path}")),
    };
    actions::write(path, text)
}
