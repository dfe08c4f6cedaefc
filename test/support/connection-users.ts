import { type Client, grantConnection, type TestApp } from './app.js';
import { uploadRequest } from './ingestion.js';

export const connections = '/api/warehouse/connections';
export const grants = '/api/permissions/connections/1/users';

export const mapping = (table = 'staff', column = 'name') => `version: 1
nodes:
  - {id: p, label: 员工, table: ${table}, key: [id], columns: [{column: id, type: int}, {column: ${column}}]}
`;
export const binding = { relation: { table: 'staff' }, columns: { 工资: 'wage' } };

export const load = (as: Client, csv: string, table = 'staff') => uploadRequest(as, table, csv);
export const loadStaff = (admin: Client) => load(admin, 'id,name,wage\n1,甲,10\n2,乙,20\n').expect(201);
export const loadSecrets = (admin: Client) => load(admin, 'id,secret_column\n1,x\n', 'secrets').expect(201);

export const postJob = (user: Client, graphId: number, yaml = mapping()) =>
  user.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: yaml });
export const run = async (user: Client, jobId: number) =>
  (await user.post(`/api/ingestion/jobs/${jobId}/run`).set('Prefer', 'wait=60').expect(200)).body;

/** Makes users of an application, some with rights on the mirror. `test` is a function, because the application may start later. */
export function connectionUsers(test: () => TestApp) {
  return {
    /** A registered user with a graph of their own. */
    someone: async (username: string, right?: 'read' | 'write'): Promise<{ user: Client; id: number; graphId: number }> => {
      const user = await test().asUser(username);
      if (right) await grantConnection(test(), username, right);
      const { body } = await user.post('/api/graphs').send({ name: username }).expect(201);
      const { body: me } = await user.get('/api/auth/me').expect(200);
      return { user, id: me.user_id, graphId: body.id };
    },
    revoke: (grantee: number | string) => test().admin.delete(`${grants}/${grantee}`),
  };
}
