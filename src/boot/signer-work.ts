/**
 * The signer process, wired: the only one that holds the authorization key. Of the database it believes nothing that decides
 * where value goes: that is signed, or asked of the chain.
 */
import { join } from 'node:path';
import { createRemoteSigner } from '../adapters/identity/remote-signer.ts';
import { runSigner } from '../adapters/identity/signer-program.ts';
import { openSigningLedger } from '../adapters/signing-keys/signing-ledger.ts';
import { keysOfWriter, workerVerifier } from '../adapters/signing-keys/writer-keys.ts';
import { associatedAccount } from '../adapters/solana/associated-account.ts';
import { verifyEd25519 } from '../adapters/solana/ed25519.ts';
import { createSolanaRpc } from '../adapters/solana/rpc.ts';
import { loadListedTokens } from '../adapters/store/catalog/listed-token-store.ts';
import { openDatabase } from '../adapters/store/database.ts';
import { createSigningReads } from '../adapters/store/delegations/signing-reads.ts';
import { createRiskReads } from '../adapters/store/risk/risk-reads.ts';
import { databaseClock } from '../adapters/store/simulated-time.ts';
import { CATALOG } from '../domain/catalog.ts';
import { ALL_ENABLED } from '../domain/risk/index.ts';
import { createSigning } from '../trading/signing-validation.ts';

const DATABASE_CONNECTIONS = 4;
/** A node that answers later counts as silent: then nothing is signed. */
const NODE_MS = 3_000;

await runSigner(async (place, credentials) => {
  CATALOG.use(place.catalog);
  const sql = openDatabase({ url: place.databaseUrl, connections: DATABASE_CONNECTIONS, name: 'sevengate signer', readOnly: true });
  const clock = await databaseClock(sql);
  const sign = createSigning({
    reads: createSigningReads(sql, keysOfWriter(place.home, 'feed')),
    risk: createRiskReads(sql),
    // It signs on the primary chain alone, and is there because that is switched on.
    disabledVenues: () => ALL_ENABLED,
    remote: createRemoteSigner({ baseUrl: place.url, ...credentials, clock }),
    verifySignature: verifyEd25519,
    isSignedByWorker: workerVerifier(place.home),
    chain: createSolanaRpc({ url: place.rpcUrl, clock, timeoutMs: NODE_MS }),
    makers: new Set(place.makers),
    accountOf: associatedAccount,
    ledger: openSigningLedger(join(place.home, 'signer', 'signed.ndjson'), place.dailyLimitUsd),
    clock,
  });
  return {
    async sign(orderId, signature) {
      // Agent tokens are listed while the service runs.
      await loadListedTokens(sql, place.isSandboxed);
      return sign(orderId, signature);
    },
  };
});
