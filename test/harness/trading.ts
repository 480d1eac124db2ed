// Inputs of trading over a test's database, composed as in src/boot.
import { join } from 'node:path';
import type { VenueFlows } from '../../actors/proposal/execution.ts';
import { openSigningLedger, type SigningLedger } from '../../src/adapters/signing-keys/signing-ledger.ts';
import { isSignedBy, keysOfWriter, openWriterKeys } from '../../src/adapters/signing-keys/writer-keys.ts';
import { associatedAccount } from '../../src/adapters/solana/associated-account.ts';
import { verifyEd25519 } from '../../src/adapters/solana/ed25519.ts';
import type { Sql } from '../../src/adapters/store/database.ts';
import { createSigningReads } from '../../src/adapters/store/delegations/signing-reads.ts';
import { createRiskReads, createSharedRiskReads } from '../../src/adapters/store/risk/risk-reads.ts';
import { type ExecutableVenue, splitInstrumentKey } from '../../src/domain/market/venue.ts';
import { ALL_ENABLED } from '../../src/domain/risk/index.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import { SANDBOX_MAKER } from '../../src/sandbox/spotchain/pool.ts';
import type { RiskDeps, VenueBooks } from '../../src/trading/present-market.ts';
import type { SigningDeps } from '../../src/trading/signing-validation.ts';

const allEnabled: RiskDeps['disabledVenues'] = () => ALL_ENABLED;

/** Creates the worker's risk inputs of order assessments; by default every venue takes live orders. */
export function riskOn(sql: Sql, given: Pick<RiskDeps, 'bus' | 'clock'> & Partial<Pick<RiskDeps, 'disabledVenues'>>): RiskDeps {
  return { reads: createSharedRiskReads(sql), disabledVenues: allEnabled, ...given };
}

/** Venue without trades. */
export const NO_TRADES: VenueFlows = {
  between: async (instrument) => ({
    venue: splitInstrumentKey(instrument).venue as ExecutableVenue,
    source: 'test:trades',
    trades: [],
    tops: [],
  }),
};

/** Creates the signer's reads. The worker's key is in the state folder. */
export function signingOn(
  sql: Sql,
  given: Pick<SigningDeps, 'chain'> & { readonly home: string; readonly limit?: { readonly usd: string } },
) {
  const { worker } = openWriterKeys(given.home, ['worker']);
  return {
    reads: createSigningReads(sql, keysOfWriter(given.home, 'feed')),
    risk: createRiskReads(sql),
    disabledVenues: allEnabled,
    verifySignature: verifyEd25519,
    isSignedByWorker: (text: string, signature: string) =>
      isSignedBy(worker.publicKey, Buffer.from(text), Buffer.from(signature, 'base64')),
    chain: given.chain,
    makers: new Set([SANDBOX_MAKER]),
    accountOf: associatedAccount,
    // Opened for each read, as after a restart.
    ledger: {
      count: (signing) => openSigningLedger(join(given.home, 'signer', 'signed.ndjson'), given.limit?.usd ?? '1000000').count(signing),
    } satisfies SigningLedger,
  };
}

/** Signs like the worker of a service with this state folder. */
export function signsAsWorker(home: string): (text: string) => string {
  const { worker } = openWriterKeys(home, ['worker']);
  return (text) => worker.sign(Buffer.from(text)).toString('base64');
}

/** No order books: swaps are assessed on quotes and pools. */
export const NO_ORDER_BOOKS: VenueBooks = { read: async () => refuse('unavailable', 'no venue is asked for its book') };
