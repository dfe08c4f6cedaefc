import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Connection } from './connection.entity.js';
import { ConnectionsRepository } from './connections.repository.js';
import { MirrorCatalog } from './mirror-catalog.js';
import { MirrorReader } from './mirror-reader.js';
import { WarehouseService } from './warehouse.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Connection])],
  providers: [ConnectionsRepository, MirrorCatalog, MirrorReader, WarehouseService],
  exports: [WarehouseService],
})
export class WarehouseModule {}
