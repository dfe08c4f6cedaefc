import { createHash, createHmac, hkdfSync, pbkdf2Sync } from 'node:crypto';

const iterations = 4096;

/**
 * The form in which PostgreSQL stores a password (RFC 5803). The stored form cannot be used to log in. The salt is derived from the
 * password and the name, so that every process computes the same text.
 */
export function scramVerifier(name: string, password: string): string {
  const salt = Buffer.from(hkdfSync('sha256', password, '', `graph-service salt ${name}`, 16));
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const key = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`;
}
