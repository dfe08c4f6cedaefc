import { spend } from '../syntax/effort.js';

/** Decimals with fewer than 40 digits are calculated without counting work units, since their arithmetic takes almost no time. */
const longUnits = 10n ** 40n;

/**
 * An exact decimal: `units` × 10^-`scale`. Two decimals of different scales may be equal. `isRounded` is set for quotients and for every
 * result calculated from them: their last digits mean nothing.
 */
export class Decimal {
  constructor(
    readonly units: bigint,
    readonly scale: number,
    readonly isRounded = false,
  ) {}

  /** Reads digits with an optional sign, point and exponent of at most four digits. Null for any other text. */
  static parse(text: string): Decimal | null {
    const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
    if (!found) return null;
    const [, sign, whole = '', fraction = '', exponent = '0'] = found;
    if (whole + fraction === '') return null;
    // Reading takes longer the more digits a number has.
    spend(20 + text.length + Math.abs(Number(exponent)));
    const units = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
    const scale = fraction.length - Number(exponent);
    return scale >= 0 ? new Decimal(units, scale) : new Decimal(units * 10n ** BigInt(-scale), 0);
  }

  static of(integer: bigint): Decimal {
    return new Decimal(integer, 0);
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.unitsAt(scale) + other.unitsAt(scale), scale, this.isRounded || other.isRounded);
  }

  minus(other: Decimal): Decimal {
    return this.plus(other.negated());
  }

  times(other: Decimal): Decimal {
    this.spendOnDigits();
    other.spendOnDigits();
    return new Decimal(this.units * other.units, this.scale + other.scale, this.isRounded || other.isRounded);
  }

  /** The remainder of the division by `other`, with the sign of the dividend, as in PostgreSQL. `other` must not be zero. */
  remainder(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.unitsAt(scale) % other.unitsAt(scale), scale, this.isRounded || other.isRounded);
  }

  negated(): Decimal {
    return new Decimal(-this.units, this.scale, this.isRounded);
  }

  /** Negative if this decimal is smaller than `other`, zero if they are equal, positive if it is larger. */
  compare(other: Decimal): number {
    const scale = Math.max(this.scale, other.scale);
    const difference = this.unitsAt(scale) - other.unitsAt(scale);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  /** The same number with the smallest scale: without zeros at the end of the digits behind the point. */
  normalized(): Decimal {
    let { units, scale } = this;
    spend((scale * scale) >> 6);
    for (; scale > 0 && units % 10n === 0n; scale -= 1) units /= 10n;
    return new Decimal(units, scale, this.isRounded);
  }

  /** The integer part: the digits after the point are cut off. */
  whole(): bigint {
    this.spendOnDigits();
    return this.units / 10n ** BigInt(this.scale);
  }

  toNumber(): number {
    return Number(this.toString());
  }

  toString(): string {
    this.spendOnDigits();
    const digits = (this.units < 0n ? -this.units : this.units).toString().padStart(this.scale + 1, '0');
    const sign = this.units < 0n ? '-' : '';
    if (this.scale === 0) return sign + digits;
    return `${sign}${digits.slice(0, -this.scale)}.${digits.slice(-this.scale)}`;
  }

  /** Counts the work units of one product, quotient or conversion to text. Its time grows faster than the number of digits. */
  spendOnDigits(): void {
    if (this.units < longUnits && this.units > -longUnits && this.scale < 40) return;
    const digits = Math.max(this.units.toString(16).length, this.scale);
    spend(2 * digits + digits ** 2 / 16_384);
  }

  private unitsAt(scale: number): bigint {
    spend(scale >> 1);
    return this.units * 10n ** BigInt(scale - this.scale);
  }
}
