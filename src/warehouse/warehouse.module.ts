import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConnectionAccessService } from './connection-access.service.js';
import { Connection } from './connection.entity.js';
import { ConnectionsController } from './connections.controller.js';
import { ConnectionsRepository } from './connections.repository.js';
import { ConnectionsService } from './connections.service.js';
import { MirrorCatalog } from './mirror-catalog.js';
import { MirrorReader } from './mirror-reader.js';
import { MirrorUploadService } from './mirror-upload.service.js';
import { TablesController } from './tables.controller.js';
import { TablesService } from './tables.service.js';
import { WarehouseService } from './warehouse.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Connection])],
  controllers: [ConnectionsController, TablesController],
  providers: [
    ConnectionAccessService,
    ConnectionsRepository,
    ConnectionsService,
    MirrorCatalog,
    MirrorReader,
    MirrorUploadService,
    TablesService,
    WarehouseService,
  ],
  exports: [ConnectionAccessService, ConnectionsService, WarehouseService],
})
export class WarehouseModule {}
