import { Global, Module } from '@nestjs/common';
import { LicenceClockRepository } from './licence-clock.repository.js';
import { LicenceVerifier } from './licence.verifier.js';
import { LicensingController } from './licensing.controller.js';

/** Global, and first among such modules. Nest runs their bootstrap hooks first, so nothing starts before the gate has opened. */
@Global()
@Module({ controllers: [LicensingController], providers: [LicenceVerifier, LicenceClockRepository] })
export class LicensingModule {}
