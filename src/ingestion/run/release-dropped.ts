import { type PoolClient } from 'pg';
import { type ElementId, elementName, isSame, readOwnership } from './ownership.js';
import { addTotals, emptyTarget, type RunReport } from './run-report.js';
import { listElements, removeElement } from './write-elements.js';
import { releaseType } from './write-edges.js';
import { releaseLabel } from './write-nodes.js';
import { type WriteScope } from './write-scope.js';

/**
 * Takes from the job what it made and its mapping names no longer: edge types first, then labels, before anything is written. Each
 * is reported as a target without rows.
 */
export async function releaseDropped(client: PoolClient, scope: WriteScope, mapped: ElementId[], report: RunReport): Promise<void> {
  for (const element of await listElements(client, scope)) {
    if (mapped.some(other => isSame(other, element))) continue;
    const target = emptyTarget({ kind: element.kind, name: elementName(element) });
    const ownership = await readOwnership(client, scope, element, mapped);
    if (element.kind === 'edge') await releaseType(client, scope, ownership, target);
    else await releaseLabel(client, scope, ownership, target);
    await removeElement(client, scope, element, target.deleted);
    target.state = 'done';
    report.targets.push(target);
    addTotals(report);
  }
}
