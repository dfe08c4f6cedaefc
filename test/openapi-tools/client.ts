import createClient from 'openapi-fetch';
import { type components, type paths } from './generated/api.js';

export interface World {
  url: string;
  password: string;
  /** The text of a mapping. */
  mapping: string;
}

export interface Seen {
  wrongLogin: components['schemas']['ErrorCode'] | undefined;
  answer: string | undefined;
  isOneGraph: boolean;
  draftIsValid: boolean;
  jobName: string;
  rights: string[];
  uploadedRows: number;
  runStatus: string;
}

/** Calls the service with a client whose types were generated from the OpenAPI document. */
export async function useService({ url, password, mapping }: World): Promise<Seen> {
  const anonymous = createClient<paths>({ baseUrl: url });
  const refused = await anonymous.POST('/api/auth/login', { body: { username: 'admin', password: 'wrong' } });
  const wrongLogin = refused.error && 'code' in refused.error ? refused.error.code : undefined;

  const login = orThrow(await anonymous.POST('/api/auth/login', { body: { username: 'admin', password } }));
  const user = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${login.token}` } });

  // The demo has made one graph and one job. Other suites on the same service may have made some before.
  const graphId = orThrow(await user.GET('/api/graphs')).items[0]!.id;
  const jobId = orThrow(await user.GET('/api/ingestion/jobs', { params: { query: { graph_id: graphId } } })).items[0]!.id;

  const query = orThrow(
    await user.POST('/api/graphs/{id}/query', {
      params: { path: { id: graphId } },
      body: { question: 'Which products does Alpine Dairy GmbH supply?' },
    }),
  );

  orThrow(
    await user.POST('/api/graphs/{id}/query', {
      params: { path: { id: graphId }, header: { Prefer: 'respond-async' } },
      body: { cypher: 'MATCH (a)-[r]->(b) RETURN type(r) AS relation, count(*) AS n' },
    }),
  );

  const graphIds: number[] = [];
  for (let attempt = 1; attempt <= 2; attempt++) {
    const header = { 'Idempotency-Key': '8e03978e-40d5-43dd-bc93-6894a57f9324' };
    graphIds.push(orThrow(await user.POST('/api/graphs', { params: { header }, body: { name: 'Once' } })).id);
  }

  const draft = orThrow(
    await user.POST('/api/ingestion/mappings/suggest', {
      headers: { Accept: 'application/yaml' },
      body: { connection: 'pg_mirror' },
      parseAs: 'text',
    }),
  );
  const { valid: draftIsValid } = orThrow(
    await user.POST('/api/ingestion/mappings/validate', {
      headers: { 'Content-Type': 'application/yaml' },
      body: draft,
      bodySerializer: text => text,
    }),
  );

  const job = orThrow(
    await user.POST('/api/ingestion/jobs', {
      params: { query: { graph_id: graphId } },
      headers: { 'Content-Type': 'application/yaml' },
      body: mapping,
      bodySerializer: text => text,
    }),
  );

  const rights: string[] = [];
  for (const body of [
    { username: 'li.lei', right: 'write' },
    { user_id: 'everyone', right: 'read' },
  ] as const) {
    rights.push(orThrow(await user.POST('/api/permissions/connections/{id}/users', { params: { path: { id: 1 } }, body })).right);
  }

  const created = orThrow(
    await user.POST('/api/api-keys', { body: { name: 'nightly', graph_ids: [graphId], permissions: ['tables:write'] } }),
  );
  const key = createClient<paths>({ baseUrl: url, headers: { 'X-API-Key': created.raw_key } });
  const upload = orThrow(
    await key.PUT('/api/warehouse/connections/{id}/tables/{table}', {
      params: { path: { id: 1, table: 'orders' } },
      headers: { 'Content-Type': 'text/csv' },
      body: 'order_id,amount\n1,9.50\n2,12.00\n',
      bodySerializer: text => text,
    }),
  );
  const run = orThrow(await key.POST('/api/ingestion/jobs/{id}/run', { params: { path: { id: jobId }, header: { Prefer: 'wait=60' } } }));
  return {
    wrongLogin,
    // The type of the answer includes that of `respond-async`, which has a state and no `answer`.
    answer: 'answer' in query ? query.answer?.text : undefined,
    isOneGraph: graphIds[0] === graphIds[1],
    draftIsValid,
    jobName: job.name,
    rights,
    uploadedRows: upload.rows,
    runStatus: run.status,
  };
}

function orThrow<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}
