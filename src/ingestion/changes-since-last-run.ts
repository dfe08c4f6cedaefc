import { inTurns } from '../common/turns/pace.js';
import { type JobsRepository } from './jobs.repository.js';
import { type Mapping } from './mapping/mapping.js';
import { readMapping } from './mapping/parse-mapping.js';
import { MappingError } from './mapping/problems.js';
import { compareMappings, type TargetChange } from './run/compare-mappings.js';
import { type RunsRepository } from './runs.repository.js';

/**
 * Compares a mapping with the mapping of the job's last successful run, whose data the graph has. Null if the job has no successful run, or
 * if this release can no longer read that mapping.
 */
export async function changesSinceLastRun(
  jobs: JobsRepository,
  runs: RunsRepository,
  jobId: number,
  mapping: Mapping,
): Promise<TargetChange[] | null> {
  const applied = await runs.findAppliedRevision(jobId);
  if (applied === null) return null;
  const { mapping_yaml: yaml } = await jobs.getRevision(jobId, applied);
  try {
    return compareMappings((await inTurns(readMapping(yaml))).mapping, mapping);
  } catch (error) {
    if (error instanceof MappingError) return null;
    throw error;
  }
}
