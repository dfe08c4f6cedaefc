import { type AuditAction } from '../../src/audit/audit.service.js';

/** The event that a route writes, and the kind of its target. */
export interface Audited {
  action: AuditAction;
  target: string;
}

const writes = (action: AuditAction, target: string): Audited => ({ action, target });

/**
 * For each route that is not a GET: the audit event of a successful request, or the reason why there is none. The test fails if a route is
 * missing here, or if a route of this table does not exist.
 */
export const auditTable: Record<string, Audited | string> = {
  'POST /auth/login': writes('auth.login', 'user'),
  'POST /auth/register': writes('user.registered', 'user'),
  'PUT /auth/password': writes('auth.password_changed', 'user'),
  'POST /auth/logout': writes('auth.logout', 'user'),

  'POST /users': writes('user.created', 'user'),
  'PATCH /users/:id': writes('user.changed', 'user'),
  'DELETE /users/:id': writes('user.deleted', 'user'),
  'POST /users/:id/reset-password': writes('user.password_reset', 'user'),

  'POST /api-keys': writes('api_key.created', 'api_key'),
  'POST /api-keys/:id/rotate': writes('api_key.rotated', 'api_key'),
  'DELETE /api-keys/:id': writes('api_key.revoked', 'api_key'),

  'POST /graphs': writes('graph.created', 'graph'),
  'PATCH /graphs/:id': writes('graph.changed', 'graph'),
  'DELETE /graphs/:id': writes('graph.deleted', 'graph'),
  'POST /graphs/:id/query': 'reads',
  'POST /graphs/:id/query/events': 'reads',
  'DELETE /graphs/:id/queries/:query_id': 'stops a query of the caller’s own',
  'POST /graphs/:id/saved-queries': 'the caller’s own',
  'PATCH /graphs/:id/saved-queries/:saved_query_id': 'the caller’s own',
  'DELETE /graphs/:id/saved-queries/:saved_query_id': 'the caller’s own',
  'POST /graphs/:id/saved-queries/:saved_query_id/run': 'reads',
  'POST /graphs/:id/lexicon': writes('lexicon.added', 'graph'),
  'DELETE /graphs/:id/lexicon/:synonym_id': writes('lexicon.removed', 'graph'),

  'POST /permissions/graphs/:id/members': writes('member.granted', 'graph'),
  'PATCH /permissions/graphs/:id/members/:user_id': writes('member.changed', 'graph'),
  'DELETE /permissions/graphs/:id/members/:user_id': writes('member.revoked', 'graph'),
  'POST /permissions/connections/:id/users': writes('connection.granted', 'connection'),
  'DELETE /permissions/connections/:id/users/:user_id': writes('connection.revoked', 'connection'),

  'POST /warehouse/connections': writes('connection.created', 'connection'),
  'PATCH /warehouse/connections/:id': writes('connection.changed', 'connection'),
  'DELETE /warehouse/connections/:id': writes('connection.deleted', 'connection'),
  'POST /warehouse/connections/reseal': writes('connection.resealed', 'connection'),
  'POST /warehouse/connections/:id/test': 'reads',
  'POST /warehouse/connections/:id/mirror': writes('mirror_copy.created', 'mirror_copy'),
  'POST /warehouse/mirror-copies/:id/run': writes('mirror_copy.started', 'mirror_copy'),
  'POST /warehouse/mirror-copies/:id/cancel': 'stops a run, whose record says so',
  'DELETE /warehouse/mirror-copies/:id': writes('mirror_copy.deleted', 'mirror_copy'),
  'PUT /warehouse/mirror-copies/:id/schedule': writes('schedule.saved', 'mirror_copy'),
  'DELETE /warehouse/mirror-copies/:id/schedule': writes('schedule.deleted', 'mirror_copy'),
  'PUT /warehouse/connections/:id/tables/:table': writes('table.loaded', 'connection'),
  'DELETE /warehouse/connections/:id/tables/:table': writes('table.dropped', 'connection'),

  'POST /ingestion/jobs': writes('job.created', 'ingestion_job'),
  'PUT /ingestion/jobs/:id': 'not implemented',
  'DELETE /ingestion/jobs/:id': 'not implemented',
  'POST /ingestion/jobs/:id/run': 'is a record itself, which names its starter',
  'POST /ingestion/jobs/:id/revisions': writes('job.revised', 'ingestion_job'),
  'POST /ingestion/jobs/:id/retire': writes('job.retired', 'ingestion_job'),
  'POST /ingestion/runs/:id/cancel': 'stops a run, whose record says so',
  'POST /ingestion/mappings/validate': 'reads',
  'POST /ingestion/mappings/suggest': 'reads',
  'PUT /ingestion/jobs/:id/schedule': writes('schedule.saved', 'ingestion_job'),
  'DELETE /ingestion/jobs/:id/schedule': writes('schedule.deleted', 'ingestion_job'),
  'POST /ingestion/jobs/:id/webhooks': writes('webhook.created', 'ingestion_job'),
  'PATCH /ingestion/jobs/:id/webhooks/:webhook_id': writes('webhook.changed', 'ingestion_job'),
  'DELETE /ingestion/jobs/:id/webhooks/:webhook_id': writes('webhook.deleted', 'ingestion_job'),
  'POST /ingestion/jobs/:id/webhooks/:webhook_id/test': 'is a record itself: a delivery',
  'POST /ingestion/jobs/:id/webhooks/:webhook_id/deliveries/:delivery_id/redeliver': 'is a record itself: a delivery',

  'POST /metrics': writes('metric.created', 'metric'),
  'PATCH /metrics/:id': writes('metric.changed', 'metric'),
  'PUT /metrics/:id/binding': writes('metric.bound', 'metric'),
  'DELETE /metrics/:id': writes('metric.deleted', 'metric'),
  'POST /metrics/:id/execute': 'reads; an export of all rows writes metric.exported',
  'POST /metrics/query': 'reads; an export of all rows writes metric.exported',
  'POST /metrics/parse': 'reads',
  'POST /metrics/bindings/suggest': 'reads',
  'POST /metrics/:id/watches': writes('schedule.saved', 'metric_watch'),
  'PATCH /metrics/:id/watches/:watch_id': writes('schedule.saved', 'metric_watch'),
  'DELETE /metrics/:id/watches/:watch_id': writes('schedule.deleted', 'metric_watch'),
  'POST /metrics/:id/watches/:watch_id/check': 'reads',
  'POST /metrics/:id/watches/:watch_id/test': 'is a record itself: a delivery',
  'POST /metrics/:id/watches/:watch_id/deliveries/:delivery_id/redeliver': 'is a record itself: a delivery',
};
