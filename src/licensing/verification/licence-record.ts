import { asList, asObject, type JsonObject } from './json-fields.js';
import { LicenceRefusedError, type RefusalReason } from '../licensing.errors.js';
import { parseUtcTime } from './parse-time.js';

/** The fields of Keygen's licence object that the gate needs. */
export interface LicenceRecord {
  name: string | null;
  expiry: Date | null;
  suspended: boolean;
  key: string | null;
}

/**
 * Reads the attributes of a JSON:API resource of the type `licenses`.
 * @param problem The reason for a refusal if the attributes or the expiry cannot be read.
 */
export function readLicenceRecord(resource: JsonObject, problem: RefusalReason): LicenceRecord {
  const attributes = asObject(resource.attributes);
  if (!attributes) throw new LicenceRefusedError(problem);
  const { name, expiry, suspended, status, key } = attributes;
  const expiryTime = parseUtcTime(expiry);
  if (expiryTime === null && expiry != null) throw new LicenceRefusedError(problem);
  return {
    name: typeof name === 'string' ? name : null,
    expiry: expiryTime,
    suspended: suspended === true || status === 'SUSPENDED' || status === 'BANNED',
    key: typeof key === 'string' ? key : null,
  };
}

/** The resources of one type in `data` and `included` of a JSON:API document. */
export function findResources(document: JsonObject, type: string): JsonObject[] {
  return [document.data, ...asList(document.included)].flatMap(value => {
    const resource = asObject(value);
    return resource?.type === type ? [resource] : [];
  });
}

/** The name of the first user or group that the document includes. */
export function findLicensee(document: JsonObject): string | null {
  for (const [type, attribute] of [
    ['users', 'fullName'],
    ['users', 'email'],
    ['groups', 'name'],
  ] as const) {
    for (const resource of findResources(document, type)) {
      const name = asObject(resource.attributes)?.[attribute];
      if (typeof name === 'string' && name !== '') return name;
    }
  }
  return null;
}

/** Returns a name, or null if the name holds one of the licence keys: some vendors name a licence after its key. */
export function withoutKey(name: string | null, ...keys: (string | null)[]): string | null {
  return name !== null && keys.some(key => key !== null && name.includes(key)) ? null : name;
}
