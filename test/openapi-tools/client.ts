import createClient from 'openapi-fetch';
import { type components, type paths } from './generated/api.js';

export interface World {
  url: string;
  username: string;
  password: string;
  graphId: number;
  jobId: number;
}

export interface Seen {
  wrongLogin: components['schemas']['ErrorCode'] | undefined;
  right: string;
  uploadedRows: number;
  runStatus: string;
  columns: string[];
  rowCount: number;
}

/** Sends the requests of the README with a client whose types were generated from the document. */
export async function sendRequestsOfReadme({ url, username, password, graphId, jobId }: World): Promise<Seen> {
  const anonymous = createClient<paths>({ baseUrl: url });
  const refused = await anonymous.POST('/api/auth/login', { body: { username, password: 'wrong' } });
  const wrongLogin = refused.error && 'code' in refused.error ? refused.error.code : undefined;

  const login = await anonymous.POST('/api/auth/login', { body: { username, password } });
  if (!login.data) throw new Error(JSON.stringify(login.error));
  const user = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${login.data.token}` } });

  const grant = await user.POST('/api/permissions/connections/{id}/users', {
    params: { path: { id: 1 } },
    body: { user_id: 'everyone', right: 'read' },
  });
  if (!grant.data) throw new Error(JSON.stringify(grant.error));

  const created = await user.POST('/api/api-keys', { body: { name: 'nightly', graph_ids: [graphId], permissions: ['tables:write'] } });
  if (!created.data) throw new Error(JSON.stringify(created.error));
  const key = createClient<paths>({ baseUrl: url, headers: { 'X-API-Key': created.data.raw_key } });

  const upload = await key.PUT('/api/warehouse/connections/{id}/tables/{table}', {
    params: { path: { id: 1, table: 'nightly_orders' } },
    headers: { 'Content-Type': 'text/csv' },
    body: 'order_id,amount\n1,9.50\n2,12.00\n',
    bodySerializer: text => text,
  });
  if (!upload.data) throw new Error(JSON.stringify(upload.error));

  const run = await key.POST('/api/ingestion/jobs/{id}/run', {
    params: { path: { id: jobId }, header: { Prefer: 'wait=60' } },
  });
  if (!run.data) throw new Error(JSON.stringify(run.error));

  const query = await user.POST('/api/graphs/{id}/query', {
    params: { path: { id: graphId } },
    body: { cypher: 'MATCH (p:产品) RETURN p.名称 AS name LIMIT 3' },
  });
  if (!query.data) throw new Error(JSON.stringify(query.error));
  return {
    wrongLogin,
    right: grant.data.right,
    uploadedRows: upload.data.rows,
    runStatus: run.data.status,
    columns: query.data.columns.map(({ name }) => name),
    rowCount: query.data.rows.length,
  };
}
