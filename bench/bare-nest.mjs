// A minimal Nest server on Express: one route, no guard, no pipe, no database. With the argument `ours` it uses the service's own adapter.
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

class HelloController {
  hello() {
    return { user_id: 1, username: 'admin', is_admin: true, must_change_password: false };
  }
}
Get()(HelloController.prototype, 'hello', Object.getOwnPropertyDescriptor(HelloController.prototype, 'hello'));
Controller()(HelloController);

class HelloModule {}
Module({ controllers: [HelloController] })(HelloModule);

async function ourAdapter() {
  const { BoundedHttpAdapter } = await import('../dist/src/http/server/bounded-http.adapter.js');
  return new BoundedHttpAdapter({ maxHeaderBytes: 8_192, headersTimeoutMs: 10_000, requestTimeoutMs: 10_000, maxConnections: 1_000 });
}

const adapter = process.argv[2] === 'ours' ? [await ourAdapter()] : [];
const app = await NestFactory.create(HelloModule, ...adapter, { logger: false });
await app.listen(0, '127.0.0.1');
process.send(app.getHttpServer().address().port);
