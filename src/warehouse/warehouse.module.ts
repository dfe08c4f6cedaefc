import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyPowersGuard } from '../auth/api-key-powers.guard.js';
import { AuthModule } from '../auth/auth.module.js';
import { CredentialsGuard } from '../auth/credentials.guard.js';
import { PasswordChangeGuard } from '../auth/password-change.guard.js';
import { EgressModule } from '../egress/egress.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { UsersModule } from '../users/users.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ConnectionAccessGuard } from './connections/connection-access.guard.js';
import { ConnectionAccessService } from './connections/connection-access.service.js';
import { Connection } from './connections/connection.entity.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { ConnectionsRepository } from './connections/connections.repository.js';
import { ConnectionsService } from './connections/connections.service.js';
import { WarehouseClients } from './connections/warehouse-clients.js';
import { ConnectionGrantsController } from './grants/connection-grants.controller.js';
import { ConnectionGrantsRepository } from './grants/connection-grants.repository.js';
import { ConnectionGrantsService } from './grants/connection-grants.service.js';
import { MirrorCopiesController } from './copies/mirror-copies.controller.js';
import { MirrorCopiesRepository } from './copies/mirror-copies.repository.js';
import { MirrorCopiesService } from './copies/mirror-copies.service.js';
import { MirrorCopiesWorker } from './copies/mirror-copies.worker.js';
import { MirrorCopySchedulesController } from './copies/mirror-copy-schedules.controller.js';
import { MirrorCopySchedulesService } from './copies/mirror-copy-schedules.service.js';
import { CopyRunsRepository } from './copies/copy-runs.repository.js';
import { MirrorCopier } from './copies/mirror-copier.service.js';
import { MirrorCatalog } from './mirror/mirror-catalog.js';
import { MirrorClient } from './mirror/mirror.client.js';
import { MirrorVersions } from './mirror/mirror-versions.js';
import { MirrorUploadService } from './mirror/mirror-upload.service.js';
import { ParquetLoader } from './mirror/parquet/parquet-loader.js';
import { TableReaders } from './tables/table-readers.js';
import { TablesController } from './tables/tables.controller.js';
import { TablesService } from './tables/tables.service.js';
import { WriteRecheck } from './tables/write-recheck.service.js';
import { WarehouseService } from './warehouse.service.js';

/** The guards that `WriteRecheck` runs again. `app.module.ts` creates the guards that check incoming requests. */
const guards = [CredentialsGuard, PasswordChangeGuard, ApiKeyPowersGuard, ConnectionAccessGuard];

@Module({
  imports: [TypeOrmModule.forFeature([Connection]), AuthModule, EgressModule, SchedulesModule, SecretsModule, UsersModule, WebhooksModule],
  controllers: [ConnectionsController, ConnectionGrantsController, MirrorCopiesController, MirrorCopySchedulesController, TablesController],
  providers: [
    ConnectionAccessService,
    ConnectionGrantsRepository,
    ConnectionGrantsService,
    ConnectionsRepository,
    ConnectionsService,
    CopyRunsRepository,
    MirrorCatalog,
    MirrorCopier,
    MirrorCopiesRepository,
    MirrorCopiesService,
    MirrorCopiesWorker,
    MirrorCopySchedulesService,
    MirrorClient,
    MirrorUploadService,
    MirrorVersions,
    ParquetLoader,
    TableReaders,
    TablesService,
    WarehouseClients,
    WarehouseService,
    WriteRecheck,
    ...guards,
  ],
  exports: [ConnectionAccessService, MirrorVersions, TableReaders, WarehouseService],
})
export class WarehouseModule {}
