import { ApiProperty } from '@nestjs/swagger';
import { type LicenceState } from './licence.verifier.js';

export class LicenseResponse {
  @ApiProperty({ example: true, description: 'LICENSE_CHECK_ENABLED' })
  enabled: boolean;

  @ApiProperty({ type: String, enum: ['offline', 'online'], nullable: true, example: 'offline' })
  mode: 'offline' | 'online' | null;

  @ApiProperty({ enum: ['valid', 'grace', 'disabled'], example: 'valid', description: 'grace：可用，但须尽快处理 / works, but needs care' })
  status: 'valid' | 'grace' | 'disabled';

  @ApiProperty({ type: String, nullable: true, example: '企业版' })
  name: string | null;

  @ApiProperty({ type: String, nullable: true, example: '某某贸易有限公司' })
  licensee: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-01T00:00:00.000Z',
    description: '文件签发或服务器应答的时间 / when the file was issued or the server answered',
  })
  issued: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2027-11-01T00:00:00.000Z',
    description: 'null：永久 / never',
  })
  expiry: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2027-12-01T00:00:00.000Z',
    description: '若无新的凭据，服务将于此时停止 / when the service stops unless a new proof is found',
  })
  holds_until: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T08:00:00.000Z' })
  checked_at: string | null;

  @ApiProperty({ type: [String], example: [] })
  warnings: string[];
}

export function toLicenseResponse({ proof, checkedAt, refusal }: LicenceState): LicenseResponse {
  return {
    enabled: proof !== null,
    mode: proof?.mode ?? null,
    // If the last check could not renew the proof, the proof still holds for a limited time.
    status: proof === null ? 'disabled' : refusal ? 'grace' : proof.status,
    name: proof?.name ?? null,
    licensee: proof?.licensee ?? null,
    issued: proof?.issued.toISOString() ?? null,
    expiry: proof?.expiry?.toISOString() ?? null,
    holds_until: proof?.holdsUntil?.toISOString() ?? null,
    checked_at: checkedAt?.toISOString() ?? null,
    warnings: [...(proof?.warnings ?? []), ...(refusal ? [refusal.message] : [])],
  };
}
