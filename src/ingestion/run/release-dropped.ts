import { type PoolClient } from 'pg';
import { type ElementId, droppedName, isSame, type Ownership, readOwnership } from './ownership.js';
import { addTotals, emptyTarget, type RunReport, type TargetReport } from './run-report.js';
import { listElements, removeElement } from './write-elements.js';
import { deleteType, releaseType } from './write-edges.js';
import { releaseLabel } from './write-nodes.js';
import { type WriteScope } from './write-scope.js';

/** An edge type that the job maps no longer and another job does. */
export interface DroppedType {
  ownership: Ownership;
  target: TargetReport;
}

/**
 * Takes from the job what it made and its mapping names no longer: edge types first, then labels, before anything is written. Each
 * is reported as a target without rows. Returns the types that other jobs yield too, for `releaseTypes`.
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

/** Takes the edges of dropped types that others yield still. Call it once no edge goes with its nodes any more: only edges that stay lose properties. */
export async function releaseTypes(client: PoolClient, scope: WriteScope, types: DroppedType[], report: RunReport): Promise<void> {
  for (const { ownership, target } of types) await releaseType(client, scope, ownership, target);
  addTotals(report);
}
