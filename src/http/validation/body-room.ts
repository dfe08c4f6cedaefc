import { BusyError } from '../../common/errors/api-error.js';
import { CallerBytes } from '../caller-bytes.js';

const mebibyte = 1_048_576;
const retryAfterS = 5;

/** 503: the bodies of other requests take up memory until these requests are answered. */
export class BodiesUnderWayError extends BusyError {
  constructor() {
    super(
      'bodies_under_way',
      {
        zh: '同时处理的请求正文过大；请减少同时发出的请求，或稍后重试',
        en: 'The bodies of requests under way are too large together; send fewer at once, or retry shortly',
      },
      retryAfterS,
    );
  }
}

/** The memory that is reserved for one body. */
export interface HeldRoom {
  /** Gives back the room that the body turned out not to need. */
  shrinkTo(bytes: number): void;
  giveBack(): void;
}

/**
 * Bounds the memory that the bodies of open requests take, for each caller and for all callers together. A body may take half a minute to
 * arrive. A caller without a body under way may always send one, even if other callers have filled the bound.
 */
export class BodyRoom {
  private readonly held = new CallerBytes();
  private all = 0;
  private readonly most: { ofCaller: number; ofAll: number };

  /** @param largest the most bytes of one body */
  constructor(largest: number) {
    this.most = { ofCaller: Math.max(16 * mebibyte, 4 * largest), ofAll: Math.max(256 * mebibyte, 16 * largest) };
  }

  get isEmpty(): boolean {
    return this.held.isEmpty;
  }

  /** Takes room for a body. @throws BodiesUnderWayError */
  take(caller: string, bytes: number): HeldRoom {
    const own = this.held.of(caller);
    if (own > 0 && (own + bytes > this.most.ofCaller || this.all + bytes > this.most.ofAll)) throw new BodiesUnderWayError();
    let left = bytes;
    const shrinkTo = (to: number): void => {
      this.count(caller, to - left);
      left = to;
    };
    this.count(caller, bytes);
    return { shrinkTo, giveBack: () => shrinkTo(0) };
  }

  private count(caller: string, bytes: number): void {
    this.all += bytes;
    this.held.add(caller, bytes);
  }
}
