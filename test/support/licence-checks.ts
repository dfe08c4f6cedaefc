import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { LicenceRefusedError, type RefusalReason } from '../../src/licensing/licensing.errors.js';
import { checkLicence } from '../../src/licensing/verification/check-licence.js';
import { type LicenceSettings } from '../../src/licensing/verification/choose-source.js';
import { type LicenceProof } from '../../src/licensing/verification/licence.js';
import { type Answering, LicenseServer, Licensor } from './licensor.js';

export const now = new Date('2026-11-20T12:00:00Z');
export const key = 'C0FFEE-5EC2E7-CANARY-V3';
export const fingerprint = 'a3:f9:e1:b8';
export const target = '/v1/accounts/graph/licenses/actions/validate-key?include=none';
export const [second, minute, day] = [1000, 60_000, 86_400_000];
const limits = { timeoutMs: 1_000, maxBytes: 64 * 1024 };

export const licensor = new Licensor();
export const stranger = new Licensor();
export const server = new LicenseServer();

export const httpDate = (ms: number, from = now) => new Date(from.getTime() + ms).toUTCString();
export const iso = (ms: number, from = now) => new Date(from.getTime() + ms).toISOString();

export type Outcome = 'valid' | 'grace' | RefusalReason;
export type Settings = Partial<LicenceSettings>;

interface Checked {
  outcome: Outcome;
  proof?: LicenceProof;
  message?: string;
}

let directory: string;

/** Gives each test a data directory of its own. */
export function useDataDirectory(): void {
  beforeEach(async () => (directory = await mkdtemp(path.join(os.tmpdir(), 'licence-'))));
  afterEach(() => rm(directory, { recursive: true, force: true }));
}

export function useLicenseServer(): void {
  beforeAll(() => server.listen());
  afterAll(() => server.close());
  beforeEach(() => (server.asked.length = 0));
}

/** A path in the data directory of the test. */
export const dataPath = (name = '') => path.join(directory, name);

/** Writes a licence file and returns its path. */
export async function fileWith(content: string | Buffer): Promise<string> {
  const file = dataPath('license.lic');
  await rm(file, { recursive: true, force: true });
  await writeFile(file, content);
  return file;
}

/** Runs the licence check. Expects that neither its result nor its error contains the licence key. */
export async function check(settings: Settings, time = now, latestSeen: Date | null = null): Promise<Checked> {
  try {
    const all = { dataDirectory: directory, licensePublicKey: licensor.publicKeyHex, ...settings };
    const proof = await checkLicence(all, time, { limits, latestSeen });
    expect(JSON.stringify(proof)).not.toContain(key);
    return { outcome: proof.status, proof };
  } catch (error) {
    if (!(error instanceof LicenceRefusedError)) throw error;
    expect(error.exitCode).toBe(78);
    expect(error.message).toMatch(/^许可证未通过：[^\n]+ \/ Licence refused \[[a-z_]+\]: [^\n]+$/);
    expect(`${error.message}${error.stack}${String(error.cause)}`).not.toContain(key);
    return { outcome: error.reason, message: error.message };
  }
}

/** Runs the check against the licence server. */
export function checkOnline(settings: Settings = {}, time = now, latestSeen: Date | null = null): Promise<Checked> {
  return check({ licenseKey: key, licenseUrl: `http://127.0.0.1:${server.port}${target}`, ...settings }, time, latestSeen);
}

export interface AnswerOptions {
  meta?: Record<string, unknown>;
  attributes?: Record<string, unknown>;
  /** Replaces the whole document. */
  document?: unknown;
  /** Replaces the body that is sent and signed. */
  body?: string | Buffer;
  /** The body that is sent, if it differs from the signed body. */
  sent?: string | Buffer;
  status?: number;
  type?: string;
  signer?: Licensor;
  date?: string;
  host?: string;
  signedTarget?: string;
  headers?: Record<string, string | string[] | undefined>;
  at?: Date;
}

/** Makes the licence server give a genuine answer, except for what the options change. */
export function answer(options: AnswerOptions = {}): Answering {
  const { meta, attributes, status = 200, type = 'application/vnd.api+json; charset=utf-8', signer = licensor, at = now } = options;
  return (response, asked) => {
    const document = options.document ?? {
      data: { type: 'licenses', id: '1', attributes: { name: '企业版', key: asked.body.meta.key, expiry: iso(30 * day), ...attributes } },
      meta: {
        ts: iso(0, at),
        valid: true,
        detail: `is valid ${asked.body.meta.key}`,
        code: 'VALID',
        nonce: asked.body.meta.nonce,
        ...(asked.body.meta.scope && { scope: asked.body.meta.scope }),
        ...meta,
      },
    };
    const body = options.body ?? JSON.stringify(document);
    const signed = signer.signAnswer(body, {
      target: options.signedTarget ?? `post ${asked.path}`,
      host: options.host ?? '127.0.0.1',
      date: options.date ?? httpDate(0, at),
    });
    response.sendDate = false;
    const headers = Object.entries({ 'Content-Type': type, ...signed, ...options.headers }).filter(([, value]) => value !== undefined);
    response.writeHead(status, Object.fromEntries(headers) as Record<string, string>).end(options.sent ?? body);
  };
}

export const html: Answering = response =>
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome to the hotel Wi-Fi</h1>');
export const silence: Answering = () => {};

export interface PayloadOptions {
  meta?: Record<string, unknown>;
  attributes?: Record<string, unknown>;
  more?: Record<string, unknown>;
}

/** Content of a licence file that was issued 10 days ago and expires in 20 days. */
export function payload({ meta, attributes, more }: PayloadOptions = {}): object {
  return {
    data: {
      type: 'licenses',
      id: '1',
      attributes: { name: '企业版', key, expiry: null, status: 'ACTIVE', suspended: false, ...attributes },
    },
    included: [{ type: 'users', id: '2', attributes: { fullName: '王芳', email: 'wang@example.com' } }],
    meta: { issued: iso(-10 * day), expiry: iso(20 * day), ttl: 2_592_000, ...meta },
    ...more,
  };
}

/** The text of a licence file that is not encrypted. */
export const plain = (options: PayloadOptions = {}) => licensor.file({ payload: payload(options) });
export const content = (text: object) => Buffer.from(JSON.stringify(text));
