import { type PoolClient } from 'pg';
import { type ElementId, droppedName, isSame, type Ownership, readOwnership } from './ownership.js';
import { addTotals, emptyTarget, type RunReport, type TargetReport } from './run-report.js';
import { listElements, removeElement } from './write-elements.js';
import { deleteType, releaseType } from './write-edges.js';
import { releaseLabel } from './write-nodes.js';
import { type WriteScope } from './write-scope.js';

/** An edge type that the job no longer maps and that another job still yields. */
export interface DroppedType {
  ownership: Ownership;
  target: TargetReport;
}

/**
 * Ends the job's ownership of the elements that its mapping no longer names, before anything is written: first edge types, then labels.
 * Each of them is reported as a target without rows.
 * @returns the edge types that other jobs still yield, for `releaseTypes`
 */
export async function releaseDropped(
  client: PoolClient,
  scope: WriteScope,
  mapped: ElementId[],
  report: RunReport,
): Promise<DroppedType[]> {
  const shared: DroppedType[] = [];
  const fed = await listElements(client, scope);
  for (const element of fed) {
    if (mapped.some(other => isSame(other, element))) continue;
    const target = emptyTarget({ kind: element.kind, name: droppedName(element, [...mapped, ...fed]) });
    const ownership = await readOwnership(client, scope, element, mapped);
    if (element.kind === 'node') await releaseLabel(client, scope, ownership, target);
    else {
      await deleteType(client, scope, ownership, target);
      if (ownership.isShared) shared.push({ ownership, target });
    }
    await removeElement(client, scope, element, target.deleted);
    target.state = 'done';
    report.targets.push(target);
    addTotals(report);
  }
  return shared;
}

/**
 * Ends the job's ownership of the edges of dropped types that other jobs still yield. Call it after all nodes have been removed: edges that
 * go with their nodes must not count as edges that stay and lose properties.
 */
export async function releaseTypes(client: PoolClient, scope: WriteScope, types: DroppedType[], report: RunReport): Promise<void> {
  for (const { ownership, target } of types) await releaseType(client, scope, ownership, target);
  addTotals(report);
}
