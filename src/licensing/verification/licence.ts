/** The facts that a successful licence check proves. */
export interface LicenceProof {
  mode: 'offline' | 'online';
  /** `grace`: the service may run, but something must be done before `holdsUntil`. */
  status: 'valid' | 'grace';
  name: string | null;
  licensee: string | null;
  /** The time when the file was issued or the server signed its answer. */
  issued: Date;
  /** The time at which the licence expires; null means never. */
  expiry: Date | null;
  /** The time until which the service may run on this proof without a new one; null means without end. */
  holdsUntil: Date | null;
  /** Sentences for the log and the API, in Chinese and English. */
  warnings: string[];
}

export const secondMs = 1000;
export const minuteMs = 60_000;
export const dayMs = 86_400_000;

/** The difference in ms that is allowed between the clocks of two honest machines. Keygen's own clients allow 5 minutes too. */
export const clockSkewMs = 5 * minuteMs;

/** The earlier of the ends of two periods; null stands for a period without an end. */
export function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** The later of two times; a null is ignored. */
export function later(one: Date, other: Date | null): Date {
  return other !== null && other > one ? other : one;
}
