// The least that Nest on Express can do: one route, no guard, no pipe, no database.
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

const app = await NestFactory.create(HelloModule, { logger: false });
await app.listen(0, '127.0.0.1');
process.send(app.getHttpServer().address().port);
