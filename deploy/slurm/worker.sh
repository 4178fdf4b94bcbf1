#!/bin/sh
# Workers of a fleet as a job of Slurm, one for each task of the array: docs/fleet.md.
#
#   sbatch worker.sh
#
# Half an hour before its time is over a worker takes no further orders, and ends the tasks that it has.
#SBATCH --job-name=windlass-worker
#SBATCH --array=1-4
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --time=12:00:00
#SBATCH --signal=B:TERM@1800
#SBATCH --output=windlass-worker-%A-%a.log
set -eu

export WINDLASS_FLEET__URL=tls://nats.example.org:4222
export WINDLASS_FLEET__CREDENTIALS="$HOME/.config/windlass/fleet.creds"
# On the node's own disk: homes on a network are slow for repositories.
export WINDLASS_STATE_DIR="${TMPDIR:-/tmp}/windlass-$SLURM_JOB_ID"

# Slurm signals this process, so the worker has to be it.
exec windlass worker --name "slurm-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID" --lanes 2
