import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Logger } from 'pino';
import { BackupReader } from './backup/backup-reader.js';
import { openSource, openTarget } from './backup/open-target.js';
import { Progress } from './backup/progress.js';
import { restoreBackup } from './backup/restore-backup.js';
import { partialName, writeBackup } from './backup/write-backup.js';
import { createLog } from './common/logging/log.js';
import { scrubber } from './common/logging/scrub-secrets.js';
import { InvalidSettingsError } from './config/settings-reader.js';
import { loadSettings, type Settings } from './config/settings.js';
import { misspeltWarnings } from './config/start-warnings.js';
import { type EmbeddedPostgres } from './database/embedded/embedded-postgres.js';
import { sever } from './database/sever-connection.js';
import { describeStartFailure } from './process/describe-start-failure.js';
import { keyFileOf } from './secrets/secret-box.js';
import { type Bilingual, joined } from './text/bilingual.js';

const usage = `用法 / Usage: npm run backup -- FILE
              npm run restore -- FILE
数据来自或写入 DATABASE_URL；未设置时为 DATA_DIR 下的内置数据库 / The data are those of DATABASE_URL, or of the embedded database under DATA_DIR
`;

const usageExitCode = 64;
const interruptedExitCode = 130;

let server: EmbeddedPostgres | undefined;
let unfinished: string | undefined;

/** Runs the commands `backup FILE` and `restore FILE`. */
async function main(): Promise<void> {
  const [command, given, ...more] = process.argv.slice(2);
  if ((command !== 'backup' && command !== 'restore') || given === undefined || given.startsWith('-') || more.length > 0) {
    process.stderr.write(usage);
    process.exit(usageExitCode);
  }
  const settings = loadSettings({ servesApi: false });
  const log = createLog('error', { secrets: settings.secrets });
  // Shown before the work: with a misspelt DATABASE_URL or DATA_DIR the command would use the wrong database.
  for (const warning of misspeltWarnings(settings)) say(joined(warning));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  const file = path.resolve(given);
  try {
    await (command === 'backup' ? backUp : restore)(file, settings, log);
  } finally {
    await server?.stop();
  }
  process.exit(0);
}

async function backUp(file: string, settings: Settings, log: Logger): Promise<void> {
  const source = await openSource(settings, log);
  server = source.server;
  unfinished = partialName(file);
  const { tables, rows, bytes, leftOut } = await writeBackup(source.client, file, progress()).finally(() => sever(source.client));
  if (leftOut.length > 0) say(`未包含 / Not in the backup: ${leftOut.join(', ')}`);
  say(`已备份 / Backed up: ${tables} 张表 / tables, ${rows} 行 / rows, ${(bytes / 1e6).toFixed(1)} MB → ${file}`);
  say('该文件含口令哈希，请妥善保管 / The file holds password hashes: keep it safe');
  say(joined(keyNotIn(settings)));
}

/** The key without which the stored DSNs and webhook secrets of the backup cannot be opened, and where it lies. */
function keyNotIn(settings: Settings): Bilingual {
  const purpose = {
    zh: '没有它就无法解开备份中连接的 DSN 与 Webhook 的密钥，请另行保管',
    en: 'without it the DSNs of connections and the secrets of webhooks in the backup cannot be opened; keep it apart',
  };
  const file = keyFileOf(settings);
  const told = (zh: string, en: string): Bilingual => ({
    zh: `备份不含加密密钥：${zh}。${purpose.zh}`,
    en: `The encryption key is not in the backup: ${en}; ${purpose.en}`,
  });
  if (settings.secretEncryptionKeys) return told('即设置 SECRET_ENCRYPTION_KEY', 'it is the setting SECRET_ENCRYPTION_KEY');
  if (existsSync(file)) return told(`即文件 ${file}`, `it is the file ${file}`);
  return told(
    `此处没有文件 ${file}；若服务在别处运行，它是那里 DATA_DIR 下的 ${path.basename(file)}，或设置 SECRET_ENCRYPTION_KEY`,
    `there is no file ${file} here; where the service runs elsewhere, it is ${path.basename(file)} under the DATA_DIR there, or the setting SECRET_ENCRYPTION_KEY`,
  );
}

async function restore(file: string, settings: Settings, log: Logger): Promise<void> {
  say(`检查备份 / Checking the backup ${file}`);
  const checked = await BackupReader.check(file);
  const { manifest } = checked;
  const target = await openTarget(settings, manifest.tables.length);
  server = target.server;
  const { ownerUrl } = target;
  const { tables, rows } = await restoreBackup({ file, checked, ownerUrl, given: settings.databaseUrls, log, progress: progress() });
  say(`已恢复 / Restored: ${tables} 张表 / tables, ${rows} 行 / rows（备份于 / backed up ${manifest.created_at}, ${manifest.release}）`);
}

function progress(): Progress {
  return new Progress(say);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Removes the unfinished backup file. An interrupted restore needs nothing: PostgreSQL rolls its transaction back when the client is gone.
 */
function interrupt(): void {
  if (unfinished !== undefined) rmSync(unfinished, { force: true });
  server?.kill();
  say('已中断 / Interrupted');
  process.exit(interruptedExitCode);
}

main().catch((error: unknown) => {
  process.stderr.write(`${scrubber([])(describeStartFailure(error))}\n`);
  process.exit(error instanceof InvalidSettingsError ? 78 : 1);
});
