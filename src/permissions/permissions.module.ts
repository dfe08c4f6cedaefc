import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { PermissionsController } from './permissions.controller.js';
import { PermissionsRepository } from './permissions.repository.js';
import { PermissionsService } from './permissions.service.js';

@Module({
  imports: [UsersModule],
  controllers: [PermissionsController],
  providers: [PermissionsRepository, PermissionsService],
})
export class PermissionsModule {}
