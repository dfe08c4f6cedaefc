import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Egress } from './egress.js';

@Module({
  providers: [{ provide: Egress, inject: [Settings], useFactory: (settings: Settings) => new Egress(settings) }],
  exports: [Egress],
})
export class EgressModule {}
