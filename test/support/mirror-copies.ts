import { setTimeout as sleep } from 'node:timers/promises';
import { type Response } from 'supertest';
import { type TestApp } from './app.js';

/** Asks for a copy of tables into the mirror. */
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
