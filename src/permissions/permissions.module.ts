import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { ConnectionGrantsController } from './connection-grants.controller.js';
import { ConnectionGrantsRepository } from './connection-grants.repository.js';
import { ConnectionGrantsService } from './connection-grants.service.js';
import { PermissionsController } from './permissions.controller.js';
import { PermissionsRepository } from './permissions.repository.js';
import { PermissionsService } from './permissions.service.js';

@Module({
  imports: [UsersModule, WarehouseModule],
  controllers: [PermissionsController, ConnectionGrantsController],
  providers: [PermissionsRepository, PermissionsService, ConnectionGrantsRepository, ConnectionGrantsService],
})
export class PermissionsModule {}
