/** Hours of a zone's clock, found by looking at each minute. The local times come from `Intl`, not from the service. */
export interface HourFact {
  ms: number;
  amount: number;
  key: number;
  kind: string;
}

export type HourFunction = 'SUM' | 'COUNT' | 'DISTINCT' | 'MAX';
type Unit = 'hour' | 'day' | 'month';
export interface HourAxis {
  window?: 'start' | { startOf: 'day' | 'hour' } | { count: number; unit: Unit };
  shift?: { count: number; unit: Unit };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export class NaiveHours {
  private readonly format: Intl.DateTimeFormat;
  private readonly known = new Map<number, { local: string; offset: string }>();

  constructor(zone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'longOffset',
    });
  }

  /** Local time and offset of a moment, such as `2024-10-27T02:15` and `+01:00`. */
  private read(ms: number): { local: string; offset: string } {
    const minute = Math.floor(ms / minuteMs);
    const known = this.known.get(minute) ?? this.localOf(minute * minuteMs);
    this.known.set(minute, known);
    return known;
  }

  private localOf(ms: number): { local: string; offset: string } {
    const part = Object.fromEntries(this.format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const offset = part.timeZoneName!.slice(3) || '+00:00';
    return { local: `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}`, offset };
  }

  labelOf(ms: number): string {
    const { local, offset } = this.read(ms);
    return `${local.slice(0, 13)}:00${offset}`;
  }

  /** The moments, in milliseconds, at which the clock shows a local time: none, one or two. */
  private momentsOf(local: string): number[] {
    const guess = Date.parse(`${local}Z`);
    const found: number[] = [];
    for (let ms = guess - 15 * hourMs; ms <= guess + 15 * hourMs; ms += 15 * minuteMs) if (this.read(ms).local === local) found.push(ms);
    return found;
  }

  /** The first moment at which the clock shows a local time. If it skips that time, one hour after the last moment one hour before. */
  firstOf(local: string): number {
    const [first] = this.momentsOf(local);
    return first ?? this.momentsOf(move(local, -1, 'hour')).at(-1)! + hourMs;
  }

  hoursBetween(from: number, to: number): string[] {
    const labels = new Set<string>();
    for (let ms = from; ms < to; ms += minuteMs) labels.add(this.labelOf(ms));
    return [...labels];
  }

  /** Returns a function that checks whether a fact counts for an hour. */
  counts(label: string, { window, shift }: HourAxis): (fact: HourFact) => boolean {
    const base = this.baseOf(label, shift);
    if (base === null) return () => false;
    if (!window) return ({ ms }) => this.labelOf(ms) === base.label;
    const end = base.ms + hourMs;
    if (window === 'start') return ({ ms }) => ms < end;
    const lower = this.lowerOf(base, window);
    return ({ ms }) => ms >= lower && ms < end;
  }

  private lowerOf({ ms, label }: { ms: number; label: string }, window: Exclude<HourAxis['window'], 'start' | undefined>): number {
    const local = label.slice(0, 16);
    if ('startOf' in window) return window.startOf === 'hour' ? ms : this.firstOf(`${local.slice(0, 10)}T00:00`);
    if (window.unit === 'hour') return ms + hourMs - window.count * hourMs;
    return this.firstOf(move(move(local, -window.count, window.unit), 1, 'hour'));
  }

  private baseOf(label: string, shift: HourAxis['shift']): { ms: number; label: string } | null {
    if (!shift) return { ms: Date.parse(label), label };
    if (shift.unit === 'hour') {
      const ms = Date.parse(label) - shift.count * hourMs;
      return { ms, label: this.labelOf(ms) };
    }
    const ms = this.momentsOf(move(label.slice(0, 16), -shift.count, shift.unit)).at(-1);
    return ms === undefined ? null : { ms, label: this.labelOf(ms) };
  }
}

/** Moves a local time by hours, days or months. In a shorter month, it becomes the last day. */
function move(local: string, count: number, unit: Unit): string {
  const date = new Date(`${local}Z`);
  if (unit !== 'month') return new Date(date.getTime() + count * (unit === 'hour' ? hourMs : dayMs)).toISOString().slice(0, 16);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count + 1, 0)).getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + count, Math.min(date.getUTCDate(), last));
  return date.toISOString().slice(0, 16);
}

export function aggregateHours(fn: HourFunction, facts: readonly HourFact[]): number | null {
  if (fn === 'COUNT') return facts.length;
  if (fn === 'DISTINCT') return new Set(facts.map(({ key }) => key)).size;
  if (facts.length === 0) return null;
  const amounts = facts.map(({ amount }) => amount);
  return fn === 'SUM' ? amounts.reduce((sum, amount) => sum + amount, 0) : Math.max(...amounts);
}
