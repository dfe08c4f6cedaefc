import { Injectable } from '@nestjs/common';

/**
 * Tells how far the service has come in stopping. Once the stop is announced, the service reports itself not ready, so that load
 * balancers look elsewhere, but still answers requests. Once it has begun, waiting and watching requests end on their own.
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
