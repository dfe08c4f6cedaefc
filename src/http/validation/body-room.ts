import { BusyError } from '../../common/errors/api-error.js';

const mebibyte = 1_048_576;
/** The bodies of requests under way: of one caller, and of all. A body of a megabyte may wait half a minute for its end. */
const most = { ofCaller: 16 * mebibyte, ofAll: 256 * mebibyte };
const retryAfterS = 5;

/** 503: bodies of other requests under way take up memory until these are answered. */
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

/** Bounds the memory that bodies take, first for each caller. A caller without any may always send one. */
export class BodyRoom {
  private readonly held = new Map<string, number>();
  private all = 0;

  /** @returns what gives the room back. @throws BodiesUnderWayError */
  take(caller: string, bytes: number): () => void {
    const own = this.held.get(caller) ?? 0;
    if ((own > 0 && own + bytes > most.ofCaller) || (this.all > 0 && this.all + bytes > most.ofAll)) throw new BodiesUnderWayError();
    this.count(caller, bytes);
    return () => this.count(caller, -bytes);
  }

  private count(caller: string, bytes: number): void {
    this.all += bytes;
    const own = (this.held.get(caller) ?? 0) + bytes;
    if (own > 0) this.held.set(caller, own);
    else this.held.delete(caller);
  }
}
