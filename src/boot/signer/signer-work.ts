/**
 * Signer process. Only this process holds the authorization key and reads the account keys of the spot exchange. It does not trust the
 * database about where value goes: such data is signed, or read from the chain.
 */
import { join } from 'node:path';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createRemoteSigner } from '../../adapters/identity/signer/remote-signer.ts';
import { runSigner, type SignerCredentials } from '../../adapters/identity/signer/program.ts';
import type { SignerAddresses } from '../../adapters/identity/signer/protocol.ts';
import { exchangeKeysIn } from '../../adapters/signing-keys/exchange-keys.ts';
import { openSigningLedger, type SigningLedger } from '../../adapters/signing-keys/signing-ledger.ts';
import { keysOfWriter, workerVerifier } from '../../adapters/signing-keys/writer-keys.ts';
import { associatedAccount } from '../../adapters/solana/associated-account.ts';
import { verifyEd25519 } from '../../adapters/solana/ed25519.ts';
import { createSolanaRpc } from '../../adapters/solana/rpc.ts';
import { loadListedTokens } from '../../adapters/store/catalog/listed-token-store.ts';
import { openDatabase } from '../../adapters/store/database.ts';
import { createExchangeSigningReads } from '../../adapters/store/delegations/signing-reads.ts';
import { createRiskReads } from '../../adapters/store/risk/risk-reads.ts';
import { databaseClock } from '../../adapters/store/simulated-time.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { ALL_ENABLED } from '../../domain/risk/index.ts';
import { createExchangeSigning, type ExchangeSigningDeps } from '../../trading/exchange-signing.ts';
import { createSigning, type SigningDeps } from '../../trading/signing-validation.ts';

const DATABASE_CONNECTIONS = 4;
/** Timeout of the chain's node. If it does not answer in time, nothing is signed. */
const NODE_MS = 3_000;

await runSigner(async (place, credentials) => {
  CATALOG.use(place.catalog);
  const sql = openDatabase({ url: place.databaseUrl, connections: DATABASE_CONNECTIONS, name: 'sevengate signer', readOnly: true });
  const clock = await databaseClock(sql);
  const shared = {
    reads: createExchangeSigningReads(sql, keysOfWriter(place.home, 'feed')),
    risk: createRiskReads(sql),
    isSignedByWorker: workerVerifier(place.home),
    clock,
  };
  const sign = credentials === null ? null : swapSigning(place, credentials, shared);
  const signRequest = createExchangeSigning({
    ...shared,
    keys: exchangeKeysIn(place.home),
    ledgerOf: ledgersIn(place),
  });
  return {
    async sign(orderId, signature) {
      if (sign === null) return { outcome: 'refused', code: 'feature_disabled', detail: 'delegated signing is switched off' };
      // Agent tokens may be listed while the service runs.
      await loadListedTokens(sql, place.isSandboxed);
      return sign(orderId, signature);
    },
    signRequest,
  };
});

/** Creates the signing of swaps, or returns null if no node or remote signer is configured. */
function swapSigning(
  { url, rpcUrl, home, makers, dailyLimitUsd }: SignerAddresses,
  credentials: SignerCredentials,
  shared: Pick<SigningDeps, 'reads' | 'risk' | 'isSignedByWorker'> & { readonly clock: Clock },
) {
  if (url === null || rpcUrl === null) return null;
  const { clock } = shared;
  return createSigning({
    ...shared,
    // It signs only on the primary chain, and exists only if that venue is enabled.
    disabledVenues: () => ALL_ENABLED,
    remote: createRemoteSigner({ baseUrl: url, ...credentials, clock }),
    verifySignature: verifyEd25519,
    chain: createSolanaRpc({ url: rpcUrl, clock, timeoutMs: NODE_MS }),
    makers: new Set(makers),
    accountOf: associatedAccount,
    ledger: openSigningLedger(join(home, 'signer', 'signed.ndjson'), dailyLimitUsd),
  });
}

/** Returns the organizations' purchase records, each in a file of its own that is read once. */
function ledgersIn({ home, exchangeDailyLimitUsd }: SignerAddresses): ExchangeSigningDeps['ledgerOf'] {
  const opened = new Map<string, SigningLedger>();
  return (orgId) => {
    const ledger = opened.get(orgId) ?? openSigningLedger(join(home, 'signer', `exchange-${orgId}.ndjson`), exchangeDailyLimitUsd);
    opened.set(orgId, ledger);
    return ledger;
  };
}
