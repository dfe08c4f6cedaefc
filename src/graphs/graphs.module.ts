import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { GraphAccessService } from './graph-access.service.js';
import { Graph } from './graph.entity.js';
import { GraphsController } from './graphs.controller.js';
import { GraphsRepository } from './graphs.repository.js';
import { GraphsService } from './graphs.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Graph])],
  controllers: [GraphsController],
  providers: [GraphsRepository, GraphsService, GraphAccessService],
  exports: [GraphsService, GraphAccessService],
})
export class GraphsModule {}
