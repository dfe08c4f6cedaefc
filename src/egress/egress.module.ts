import { Module } from '@nestjs/common';
import { Egress } from './egress.js';

@Module({ providers: [Egress], exports: [Egress] })
export class EgressModule {}
