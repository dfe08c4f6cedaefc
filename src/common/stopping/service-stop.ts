import { Injectable } from '@nestjs/common';

/**
 * Whether the service is on its way out. First it is announced: the service is no longer ready, so that whoever sends requests
 * looks elsewhere, and still answers what comes. Then it begins: whoever only waits or watches ends on its own.
 */
@Injectable()
export class ServiceStop {
  private announced = false;
  private begun = false;

  get isAnnounced(): boolean {
    return this.announced || this.hasBegun;
  }

  get hasBegun(): boolean {
    return this.begun;
  }

  announce(): void {
    this.announced = true;
  }

  begin(): void {
    this.begun = true;
  }
}
