import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConnectionAccessService } from './connections/connection-access.service.js';
import { Connection } from './connections/connection.entity.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { ConnectionsRepository } from './connections/connections.repository.js';
import { ConnectionsService } from './connections/connections.service.js';
import { WarehouseClients } from './connections/warehouse-clients.js';
import { MirrorCatalog } from './mirror/mirror-catalog.js';
import { MirrorClient } from './mirror/mirror.client.js';
import { MirrorUploadService } from './mirror/mirror-upload.service.js';
import { TablesController } from './tables/tables.controller.js';
import { TablesService } from './tables/tables.service.js';
import { WarehouseService } from './warehouse.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Connection])],
  controllers: [ConnectionsController, TablesController],
  providers: [
    ConnectionAccessService,
    ConnectionsRepository,
    ConnectionsService,
    MirrorCatalog,
    MirrorClient,
    MirrorUploadService,
    TablesService,
    WarehouseClients,
    WarehouseService,
  ],
  exports: [ConnectionAccessService, ConnectionsService, WarehouseService],
})
export class WarehouseModule {}
