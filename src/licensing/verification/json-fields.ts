export type JsonObject = Record<string, unknown>;

/** Parses UTF-8 JSON whose top-level value is an object. Null for any other bytes. */
export function parseJsonObject(bytes: Uint8Array): JsonObject | null {
  try {
    return asObject(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    return null;
  }
}

export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
