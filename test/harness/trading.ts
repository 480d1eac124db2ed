// The inputs of trading over a test's database: what the service composes in src/boot.
import { verifyEd25519 } from '../../src/adapters/solana/ed25519.ts';
import type { Sql } from '../../src/adapters/store/database.ts';
import { createDelegatedOrderStore } from '../../src/adapters/store/delegations/delegation-store.ts';
import { createSigningReads } from '../../src/adapters/store/delegations/signing-reads.ts';
import { createRiskReads } from '../../src/adapters/store/risk/risk-reads.ts';
import { isSilence, obstacleOf } from '../../src/boot/capabilities/prepared-transaction.ts';
import { ALL_ENABLED } from '../../src/domain/risk/index.ts';
import type { RiskDeps } from '../../src/trading/ports.ts';

const allEnabled: RiskDeps['disabledVenues'] = () => ALL_ENABLED;

/** What every judgement of an order reads; every venue takes live orders unless told. */
export function riskOn(sql: Sql, given: Pick<RiskDeps, 'bus' | 'clock'> & Partial<Pick<RiskDeps, 'disabledVenues'>>): RiskDeps {
  return { reads: createRiskReads(sql), disabledVenues: allEnabled, ...given };
}

/** What the signer reads. */
export function signingOn(sql: Sql) {
  return { reads: createSigningReads(sql), risk: createRiskReads(sql), disabledVenues: allEnabled, verifySignature: verifyEd25519 };
}

/** What delegated orders read and note. */
export function delegatedOn(sql: Sql) {
  return {
    store: createDelegatedOrderStore(sql),
    reads: createRiskReads(sql),
    verifySignature: verifyEd25519,
    obstacleOf,
    isSilence,
  };
}
