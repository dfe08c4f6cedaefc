import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type Logger } from 'pino';
import { createApp } from './create-app.js';
import { answerThatItStops, ServerDrain } from './http/server/server-drain.js';
import { createLog } from './common/logging/log.js';
import { scrubber } from './common/logging/scrub-secrets.js';
import { ServiceStop } from './common/stopping/service-stop.js';
import { InvalidSettingsError } from './config/settings-reader.js';
import { loadSettings, type Settings } from './config/settings.js';
import { knownAdminPassword, startWarnings } from './config/start-warnings.js';
import { describeStartFailure } from './process/describe-start-failure.js';
import { DiskReserve } from './database/disk-reserve.js';
import { openDataDirectory, socketDirectory } from './database/embedded/data-directory.js';
import { embeddedDatabase, EmbeddedPostgres } from './database/embedded/embedded-postgres.js';
import { prepareDatabase } from './database/prepare-database.js';
import { withLoginOf } from './database/roles/database-access.js';
import { prepareServer } from './database/roles/prepare-server.js';
import { LicenceVerifier } from './licensing/licence.verifier.js';
import { LicenceRefusedError } from './licensing/licensing.errors.js';
import { endOnFault, endOnSignal } from './process/process-end.js';
import { addressOf, describeWarnings, welcome } from './process/welcome.js';
import { type RetrievalPlace } from './retrieval/retrieval.module.js';
import { readTlsFiles } from './retrieval/tls-material.js';
import { joined } from './text/bilingual.js';
import { UsersService } from './users/users.service.js';

/** The time for connections, pools and the embedded server to close after the last answer. */
const closingMs = 5_000;

/**
 * Runs the `api` command: starts and migrates the database, then starts the API with its retrieval process and worker. Finally prints one
 * block with the addresses.
 */
async function main(): Promise<void> {
  const settings = loadSettings();
  const log = createLog(settings.logLevel, { secrets: settings.secrets });
  for (const warning of startWarnings(settings)) log.warn(joined(warning));
  let embedded: EmbeddedPostgres | undefined;
  let app: NestExpressApplication | undefined;
  endOnFault(log, () => embedded?.kill());
  try {
    if (settings.databaseUrl === undefined) embedded = await startEmbeddedDatabase(settings, log);
    const ownerUrl = settings.databaseUrl ?? (await prepareServer(embedded!, embeddedDatabase));
    const database = await prepareDatabase(ownerUrl, log, settings.databaseUrls);
    const created = await createApp({ settings, database, log, retrieval: await placeRetrieval(settings, database.retrieval) });
    app = created;
    created.get(DiskReserve).onLack(() => {
      log.warn('The disk of DATA_DIR is nearly full: uploads, copies, runs and exports are refused');
      embedded?.checkpoint().catch((cause: unknown) => log.warn({ cause }, 'The embedded PostgreSQL could not write its tables out'));
    });
    const drain = new ServerDrain(created.getHttpServer(), answerThatItStops(settings.basePath));
    await created.listen(settings.port, settings.host);
    const stop = async (delaySeconds = 0) => {
      created.get(ServiceStop).announce();
      if (delaySeconds > 0) await sleep(delaySeconds * 1000);
      created.get(ServiceStop).begin();
      const unanswered = await drain.drain(settings.shutdownSeconds * 1000);
      if (unanswered > 0) log.warn({ unanswered }, 'Requests under way did not end in time');
      await created.close();
      await embedded?.stop();
    };
    endOnSignal({
      log,
      stop: () => stop(settings.shutdownDelaySeconds),
      abandon: () => embedded?.kill(),
      boundMs: (settings.shutdownDelaySeconds + settings.shutdownSeconds) * 1000 + closingMs,
    });
    void created.get(LicenceVerifier).lapsed.then(async refusal => {
      await Promise.race([stop(), sleep(settings.shutdownSeconds * 1000 + closingMs)]).catch(() => undefined);
      embedded?.kill();
      fail(refusal);
    });
    const { port } = created.getHttpServer().address() as AddressInfo;
    const login = await created.get(UsersService).findFirstLogin();
    process.stdout.write(welcome(addressOf(settings, port), login));
    const warnings = [...(login?.password ? [knownAdminPassword] : []), ...startWarnings(settings)];
    if (settings.isProduction && warnings.length > 0) process.stdout.write(describeWarnings(warnings));
  } catch (error) {
    // The application closes before its database. Otherwise the log would report a lost database beside the real reason.
    await app?.close().catch((cause: unknown) => log.warn({ cause }, 'The application did not close cleanly'));
    await embedded?.stop();
    throw error;
  }
}

async function startEmbeddedDatabase({ dataDirectory }: Settings, log: Logger): Promise<EmbeddedPostgres> {
  const server = await EmbeddedPostgres.start({ dataDirectory: await openDataDirectory(dataDirectory) });
  server.onUnexpectedExit((cause, pauseMs) =>
    log.error({ cause, restart_in_ms: pauseMs }, 'The embedded PostgreSQL ended; starting it again'),
  );
  return server;
}

/** Uses the retrieval processes deployed apart, or starts one on a private socket. */
async function placeRetrieval(settings: Settings, databaseUrl: string): Promise<RetrievalPlace> {
  const { retrievalUrls: urls, retrievalKey: key, databaseReadUrl } = settings;
  if (urls.length > 0) {
    const { material: tls, problems } = readTlsFiles(settings.retrievalTls);
    if (problems.length > 0) throw new InvalidSettingsError(problems);
    return { urls, key, tls };
  }
  return {
    entry: fileURLToPath(new URL('./retrieval.main.js', import.meta.url)),
    socketDirectory: await socketDirectory(await openDataDirectory(settings.dataDirectory)),
    databaseUrl,
    readUrl: databaseReadUrl && withLoginOf(databaseReadUrl, databaseUrl),
    memoryMb: settings.retrievalMemoryMb,
    answerMaxBytes: settings.answerMaxBytes,
    snapshotDirectory: snapshotDirectory(settings),
    logLevel: settings.logLevel,
  };
}

/**
 * The directory for snapshots of graphs, or null for none. Without the setting, only an installation with the embedded database has
 * snapshots: that database stores the same data in the same place.
 */
function snapshotDirectory({ retrievalSnapshotDirectory, databaseUrl, dataDirectory }: Settings): string | null {
  return retrievalSnapshotDirectory ?? (databaseUrl === undefined ? path.join(dataDirectory, 'graph-snapshots') : null);
}

/** Ends the process with one line that gives the reason. A refused licence has an exit code of its own. */
function fail(error: unknown): never {
  process.stderr.write(`${scrubber([])(describeStartFailure(error))}\n`);
  // 78 (EX_CONFIG) tells a supervisor that starting again without a change of the configuration does not help.
  process.exit(error instanceof LicenceRefusedError || error instanceof InvalidSettingsError ? 78 : 1);
}

main().catch(fail);
