/*
 * The access rule of every route, one a line. The test fails for a route that only the router or only this table knows.
 *
 *   public     anyone, with or without credentials
 *   any        any user; `pending` also while the password must be changed
 *   admin      admins
 *   reader, writer: users with that right on the connection of the path, or of the body, and admins
 *   viewer, editor, manager, owner: at least that role on the graph behind the request
 *   keys       an API key for that graph is enough; or only one with this permission, whose user may write the connection
 */
export type Rule = 'public' | 'any' | 'pending' | 'admin' | 'reader' | 'writer' | 'viewer' | 'editor' | 'manager' | 'owner';

export interface Row {
  rule: Rule;
  keys: boolean | 'tables:write';
}

const row = (rule: Rule, keys: Row['keys'] = false): Row => ({ rule, keys });

export const accessTable: Record<string, Row> = {
  'GET /health': row('public'),
  'GET /health/ready': row('public'),
  'GET /settings': row('public'),
  'GET /docs': row('public'),
  'GET /docs/': row('public'),

  'POST /auth/login': row('public'),
  'POST /auth/register': row('public'),
  'PUT /auth/password': row('pending'),
  'GET /auth/me': row('pending', true),
  'POST /auth/logout': row('any'),

  'GET /users': row('admin'),
  'POST /users': row('admin'),
  'GET /users/:id': row('admin'),
  'PATCH /users/:id': row('admin'),
  'DELETE /users/:id': row('admin'),
  'POST /users/:id/reset-password': row('admin'),
  'GET /audit-events': row('admin'),

  'GET /api-keys': row('any'),
  'POST /api-keys': row('any'),
  'POST /api-keys/:id/rotate': row('any'),
  'DELETE /api-keys/:id': row('any'),

  'GET /graphs': row('any', true),
  'POST /graphs': row('any'),
  'GET /graphs/:id': row('viewer', true),
  'PATCH /graphs/:id': row('manager', true),
  'DELETE /graphs/:id': row('owner', true),
  'GET /graphs/:id/schema': row('viewer', true),
  'GET /graphs/:id/nodes/:node_id': row('viewer', true),
  'GET /graphs/:id/nodes/:node_id/neighbors': row('viewer', true),
  'POST /graphs/:id/query': row('viewer', true),
  'POST /graphs/:id/query/events': row('viewer', true),
  'GET /graphs/:id/queries': row('viewer', true),
  'GET /graphs/:id/queries/:query_id': row('viewer', true),
  'GET /graphs/:id/queries/:query_id/events': row('viewer', true),
  'DELETE /graphs/:id/queries/:query_id': row('viewer', true),
  'GET /graphs/:id/saved-queries': row('viewer', true),
  'POST /graphs/:id/saved-queries': row('viewer', true),
  'GET /graphs/:id/saved-queries/:saved_query_id': row('viewer', true),
  'PATCH /graphs/:id/saved-queries/:saved_query_id': row('viewer', true),
  'DELETE /graphs/:id/saved-queries/:saved_query_id': row('viewer', true),
  'POST /graphs/:id/saved-queries/:saved_query_id/run': row('viewer', true),
  'GET /graphs/:id/lexicon': row('viewer', true),
  'POST /graphs/:id/lexicon': row('editor', true),
  'DELETE /graphs/:id/lexicon/:synonym_id': row('editor', true),

  'GET /permissions/graphs/:id/members': row('manager'),
  'POST /permissions/graphs/:id/members': row('manager'),
  'PATCH /permissions/graphs/:id/members/:user_id': row('manager'),
  'DELETE /permissions/graphs/:id/members/:user_id': row('manager'),
  'GET /permissions/connections/:id/users': row('admin'),
  'POST /permissions/connections/:id/users': row('admin'),
  'DELETE /permissions/connections/:id/users/:user_id': row('admin'),

  'GET /warehouse/connections': row('any'),
  'POST /warehouse/connections': row('admin'),
  'GET /warehouse/connections/:id': row('reader'),
  'PATCH /warehouse/connections/:id': row('admin'),
  'DELETE /warehouse/connections/:id': row('admin'),
  'POST /warehouse/connections/reseal': row('admin'),
  'POST /warehouse/connections/:id/test': row('admin'),
  'POST /warehouse/connections/:id/mirror': row('reader'),
  'GET /warehouse/mirror-copies': row('any'),
  'GET /warehouse/mirror-copies/:id': row('any'),
  'DELETE /warehouse/mirror-copies/:id': row('any'),
  'GET /warehouse/mirror-copies/:id/runs': row('any'),
  'POST /warehouse/mirror-copies/:id/run': row('any'),
  'POST /warehouse/mirror-copies/:id/cancel': row('any'),
  'PUT /warehouse/mirror-copies/:id/schedule': row('any'),
  'GET /warehouse/mirror-copies/:id/schedule': row('any'),
  'DELETE /warehouse/mirror-copies/:id/schedule': row('any'),
  'GET /warehouse/connections/:id/tables': row('reader', 'tables:write'),
  'GET /warehouse/connections/:id/tables/:table': row('reader', 'tables:write'),
  'PUT /warehouse/connections/:id/tables/:table': row('writer', 'tables:write'),
  'DELETE /warehouse/connections/:id/tables/:table': row('writer', 'tables:write'),

  'GET /ingestion/jobs': row('any', true),
  'POST /ingestion/jobs': row('editor', true),
  'POST /ingestion/mappings/validate': row('any'),
  'POST /ingestion/mappings/suggest': row('reader'),
  'GET /ingestion/jobs/:id': row('viewer', true),
  'PUT /ingestion/jobs/:id': row('any', true),
  'DELETE /ingestion/jobs/:id': row('any', true),
  'POST /ingestion/jobs/:id/run': row('editor', true),
  'POST /ingestion/jobs/:id/revisions': row('editor', true),
  'GET /ingestion/jobs/:id/revisions': row('viewer', true),
  'GET /ingestion/jobs/:id/revisions/:revision': row('viewer', true),
  'POST /ingestion/jobs/:id/retire': row('editor', true),
  'GET /ingestion/jobs/:id/runs': row('viewer', true),
  'PUT /ingestion/jobs/:id/schedule': row('editor', true),
  'GET /ingestion/jobs/:id/schedule': row('viewer', true),
  'DELETE /ingestion/jobs/:id/schedule': row('editor', true),
  'GET /ingestion/jobs/:id/webhooks': row('editor', true),
  'POST /ingestion/jobs/:id/webhooks': row('editor', true),
  'PATCH /ingestion/jobs/:id/webhooks/:webhook_id': row('editor', true),
  'DELETE /ingestion/jobs/:id/webhooks/:webhook_id': row('editor', true),
  'POST /ingestion/jobs/:id/webhooks/:webhook_id/test': row('editor', true),
  'GET /ingestion/jobs/:id/webhooks/:webhook_id/deliveries': row('editor', true),
  'POST /ingestion/jobs/:id/webhooks/:webhook_id/deliveries/:delivery_id/redeliver': row('editor', true),
  'GET /ingestion/runs/:id': row('viewer', true),
  'GET /ingestion/runs/:id/rejected': row('viewer', true),
  'GET /ingestion/runs/:id/events': row('viewer', true),
  'POST /ingestion/runs/:id/cancel': row('editor', true),

  'GET /metrics': row('any', true),
  'POST /metrics': row('editor', true),
  'POST /metrics/bindings/suggest': row('reader'),
  'POST /metrics/parse': row('any', true),
  'POST /metrics/query': row('viewer', true),
  'GET /metrics/:id': row('viewer', true),
  'PATCH /metrics/:id': row('editor', true),
  'DELETE /metrics/:id': row('editor', true),
  'PUT /metrics/:id/binding': row('editor', true),
  'POST /metrics/:id/execute': row('viewer', true),
  'GET /metrics/:id/watches': row('editor', true),
  'POST /metrics/:id/watches': row('editor', true),
  'GET /metrics/:id/watches/:watch_id': row('editor', true),
  'PATCH /metrics/:id/watches/:watch_id': row('editor', true),
  'DELETE /metrics/:id/watches/:watch_id': row('editor', true),
  'POST /metrics/:id/watches/:watch_id/check': row('editor', true),
  'POST /metrics/:id/watches/:watch_id/test': row('editor', true),
  'GET /metrics/:id/watches/:watch_id/deliveries': row('editor', true),
  'POST /metrics/:id/watches/:watch_id/deliveries/:delivery_id/redeliver': row('editor', true),

  'GET /license': row('admin'),
};
