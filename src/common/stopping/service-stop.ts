import { Injectable } from '@nestjs/common';

/** Whether the service is on its way out: it is no longer ready, and whoever only waits or watches ends on its own. */
@Injectable()
export class ServiceStop {
  private begun = false;

  get hasBegun(): boolean {
    return this.begun;
  }

  begin(): void {
    this.begun = true;
  }
}
