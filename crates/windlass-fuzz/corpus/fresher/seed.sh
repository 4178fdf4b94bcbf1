#!/bin/bash
# Fresher configuration

# Mode: "planning" or "building"
export FRESHER_MODE="${FRESHER_MODE:-planning}"

# Termination settings
export FRESHER_MAX_ITERATIONS="${FRESHER_MAX_ITERATIONS:-0}"  # 0 = unlimited
export FRESHER_SMART_TERMINATION="${FRESHER_SMART_TERMINATION:-true}"

# Claude Code settings
export FRESHER_DANGEROUS_PERMISSIONS="${FRESHER_DANGEROUS_PERMISSIONS:-true}"
export FRESHER_MAX_TURNS="${FRESHER_MAX_TURNS:-50}"
export FRESHER_MODEL="${FRESHER_MODEL:-sonnet}"

# Logging
export FRESHER_LOG_DIR="${FRESHER_LOG_DIR:-.fresher/logs}"

# Docker (see docker-isolation spec)
export FRESHER_USE_DOCKER="${FRESHER_USE_DOCKER:-false}"
