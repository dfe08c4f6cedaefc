import { setTimeout as sleep } from 'node:timers/promises';
import { type Response } from 'supertest';
import { type TestApp } from './app.js';

/** Requests a copy of tables into the mirror. */
export async function startCopy({ admin }: TestApp, connection: number, tables: object[]): Promise<Response> {
  return admin.post(`/api/warehouse/connections/${connection}/mirror`).send({ tables });
}

/** Waits until a copy has ended. */
export async function ended({ admin }: Pick<TestApp, 'admin'>, id: number): Promise<any> {
  for (;;) {
    const { body } = await admin.get(`/api/warehouse/mirror-copies/${id}`).expect(200);
    if (body.status !== 'queued' && body.status !== 'running') return body;
    await sleep(50);
  }
}

export async function copyToEnd(test: TestApp, connection: number, tables: object[]): Promise<any> {
  const { status, body } = await startCopy(test, connection, tables);
  if (status !== 202) throw new Error(JSON.stringify(body));
  return ended(test, body.id);
}

/** Runs a copy once more and waits until it has ended. */
export async function copyAgain({ admin }: TestApp, id: number): Promise<any> {
  await admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
  return ended({ admin }, id);
}

/** Makes a connection without options. */
export async function connectTo({ admin }: TestApp, type: string, dsn: string, name = type): Promise<number> {
  const { body, status } = await admin.post('/api/warehouse/connections').send({ name, type, dsn });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/** Each row of a mirror table as PostgreSQL writes it. */
export async function mirroredRows({ pool }: TestApp, table: string): Promise<string[]> {
  return (await pool.query(`SELECT t::text AS row FROM mirror.${table} t ORDER BY 1`)).rows.map(({ row }) => row);
}

/** The description of a mirror table from the API. */
export async function mirroredTable({ admin }: TestApp, table: string): Promise<any> {
  return (await admin.get(`/api/warehouse/connections/1/tables/${table}`).expect(200)).body;
}
