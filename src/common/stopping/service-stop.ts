import { Injectable } from '@nestjs/common';

/**
 * How far the service has come in stopping. Once the stop is announced, the service reports itself not ready, so that load balancers use
 * other instances, but it still answers requests. Once the stop has begun, requests that wait for work or watch it end early.
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
