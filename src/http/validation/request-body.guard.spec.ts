import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ExecutionContext } from '@nestjs/common';
import express, { type Request, type Response } from 'express';
import { type Settings } from '../../config/settings.js';
import { RequestBodyGuard } from './request-body.guard.js';

class Handlers {}
const handler = (): void => undefined;

it('gives no room to the body of a caller who hung up before', async () => {
  const guard = new RequestBodyGuard({ maxBodyBytes: 1_048_576 } as Settings, () => 'caller');
  const refused: string[] = [];
  let arrived = 0;
  const app = express().use(async (request: Request, response: Response) => {
    arrived++;
    await new Promise(resolve => response.once('close', resolve));
    const context = { switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }), getHandler: () => handler, getClass: () => Handlers }; // prettier-ignore
    await guard.canActivate(context as unknown as ExecutionContext).catch((error: Error) => refused.push(error.name));
  });
  const server = app.listen(0);
  const request = http.request({
    port: (server.address() as AddressInfo).port,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
  });
  request.on('error', () => undefined);
  request.write('{');
  while (arrived === 0) await nextTurn();
  request.destroy();
  while (refused.length === 0) await nextTurn();
  expect(refused).toEqual(['BadRequestError']);
  expect(guard.room.isEmpty).toBe(true);
  server.close();
});
