import { type IncomingMessage } from 'node:http';
import { type Principal } from '../../access/principal.js';
import { type AuditService } from '../../audit/audit.service.js';
import { type MirrorUploadService } from '../mirror/mirror-upload.service.js';
import { ConnectionReadOnlyError } from '../warehouse.errors.js';
import { type WarehouseService } from '../warehouse.service.js';
import { type MirrorVersions } from '../mirror/mirror-versions.js';
import { type TableReaders } from './table-readers.js';
import { TablesService } from './tables.service.js';

describe('a connection whose tables are not in the service’s own database', () => {
  const done: string[] = [];
  const uploads = { upload: () => done.push('upload'), drop: () => done.push('drop') };
  const warehouse = { open: () => Promise.resolve({ client: { local: null } }) };
  const versions = {} as MirrorVersions;
  const tables = new TablesService(
    warehouse as unknown as WarehouseService,
    uploads as unknown as MirrorUploadService,
    versions,
    {} as AuditService,
    {} as TableReaders,
  );
  const admin = { userId: 1 } as Principal;
  const request = { headers: { 'content-type': 'text/csv' } } as IncomingMessage;

  it('takes no upload and drops no table (risk: both would reach the mirror)', async () => {
    await expect(tables.upload(admin, 2, 't', {}, request, () => Promise.resolve())).rejects.toThrow(ConnectionReadOnlyError);
    await expect(tables.drop(admin, 2, 't', false)).rejects.toThrow(ConnectionReadOnlyError);
    expect(done).toEqual([]);
  });
});
