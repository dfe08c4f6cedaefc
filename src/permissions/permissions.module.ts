import { Module } from '@nestjs/common';
import { GraphsModule } from '../graphs/graphs.module.js';
import { UsersModule } from '../users/users.module.js';
import { PermissionsController } from './permissions.controller.js';
import { PermissionsRepository } from './permissions.repository.js';
import { PermissionsService } from './permissions.service.js';

@Module({
  imports: [GraphsModule, UsersModule],
  controllers: [PermissionsController],
  providers: [PermissionsRepository, PermissionsService],
})
export class PermissionsModule {}
