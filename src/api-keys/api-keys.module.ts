import { Module } from '@nestjs/common';
import { GraphsModule } from '../graphs/graphs.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

@Module({
  imports: [GraphsModule, WarehouseModule],
  controllers: [ApiKeysController],
  providers: [ApiKeyStrategy, ApiKeysRepository, ApiKeysService],
})
export class ApiKeysModule {}
