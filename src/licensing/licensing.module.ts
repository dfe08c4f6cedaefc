import { Global, Module } from '@nestjs/common';
import { LicenceClockRepository } from './licence-clock.repository.js';
import { LicenceVerifier } from './licence.verifier.js';
import { LicensingController } from './licensing.controller.js';

/**
 * This module is global and the first of the global modules. Nest runs the bootstrap hooks of global modules first, so nothing starts
 * before the licence gate has opened.
 */
@Global()
@Module({ controllers: [LicensingController], providers: [LicenceVerifier, LicenceClockRepository] })
export class LicensingModule {}
