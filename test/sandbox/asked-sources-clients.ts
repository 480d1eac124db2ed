/** Systems queried on demand, each with its simulator: one request, and its result in a word. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { authorizationKey } from '../../src/adapters/identity/authorization-signature.ts';
import { createRemoteSigner } from '../../src/adapters/identity/signer/remote-signer.ts';
import { createTokenVerifier } from '../../src/adapters/identity/token-verifier.ts';
import { verifyEd25519 } from '../../src/adapters/solana/ed25519.ts';
import { NodeError } from '../../src/adapters/json-rpc.ts';
import { createSolanaRpc } from '../../src/adapters/solana/rpc.ts';
import { USDC_DECIMALS, USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import { fromBase58 } from '../../src/domain/solana/base58.ts';
import { readTransaction } from '../../src/domain/solana/message.ts';
import { toPreparedMessage, verifySigned } from '../../src/domain/solana/verify.ts';
import type { FaultSwitch } from '../../src/sandbox/faults.ts';
import { createIdentityProvider, SANDBOX_AUDIENCE } from '../../src/sandbox/identity/provider.ts';
import { createRemoteSignerSimulator, SANDBOX_SIGNER_APP, sessionWallet } from '../../src/sandbox/identity/remote-signer.ts';
import { createSolanaSimulator } from '../../src/sandbox/solana/simulator.ts';
import type { VirtualClock } from '../../streams/clock/virtual-clock.ts';

/** Open client of an outside system. */
export interface OpenClient {
  /** Sends the request. Returns its result in a word. */
  ask(): Promise<string>;
  close(): unknown;
}

export interface AskedClient {
  /** Result without faults. */
  readonly well: string;
  /** Interval of requests in the run, and duration of the fault, long enough for its whole course. */
  readonly everyMs: number;
  readonly faultMs: number;
  /** Opens the client. `failed` receives each failure that the service counts, by its reason. */
  open(clock: VirtualClock, faults: FaultSwitch, failed: (reason: string) => void): Promise<OpenClient>;
}

async function openIdentity(clock: VirtualClock, faults: FaultSwitch, failed: (reason: string) => void): Promise<OpenClient> {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'));
  const provider = await createIdentityProvider({ folder, clock, faults, port: 0 });
  const { issuer, jwksUrl, keys } = provider;
  const verifier = createTokenVerifier({ issuer, audience: SANDBOX_AUDIENCE, jwksUrl, clock, onFailure: failed });
  return {
    async ask() {
      const verdict = await verifier.verify(keys.mintToken({ subject: 'did:somebody', audience: SANDBOX_AUDIENCE, lifetimeS: 600 }));
      if (!verdict.ok) return verdict.code;
      return verdict.lastGoodKeys ? 'for reads alone' : 'accepted';
    },
    async close() {
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openNode(clock: VirtualClock, faults: FaultSwitch, failed: (reason: string) => void) {
  const node = await createSolanaSimulator({
    clock,
    faults,
    seed: 7,
    port: 0,
    slots: 'manual',
    mints: [],
    stable: { mint: USDC_MINT, decimals: USDC_DECIMALS },
  });
  const rpc = createSolanaRpc({ url: node.url, clock, onFailure: failed });
  return {
    node,
    rpc,
    async close() {
      rpc.close();
      await node.close();
    },
  };
}

/** Opens the reads of a node, whose silence is reported and never an answer. */
async function openReads(clock: VirtualClock, faults: FaultSwitch, failed: (reason: string) => void): Promise<OpenClient> {
  const { node, rpc, close } = await openNode(clock, faults, failed);
  const owner = Keypair.generate().publicKey.toBase58();
  node.fund(owner, 'SOL', 5_000_000n);
  node.chain.finalize();
  return {
    close,
    async ask() {
      try {
        const found = await rpc.balancesOf(owner);
        return found.ok && found.value.lamports === 5_000_000n ? 'answered' : 'another answer';
      } catch (error) {
        if (error instanceof NodeError) return 'unavailable';
        throw error;
      }
    },
  };
}

/** Opens repeated broadcasts of one transaction, reported as sent only if the node has confirmed it. */
async function openBroadcasts(clock: VirtualClock, faults: FaultSwitch, failed: (reason: string) => void): Promise<OpenClient> {
  const { node, rpc, close } = await openNode(clock, faults, failed);
  const payer = Keypair.generate();
  node.fund(payer.publicKey.toBase58(), 'SOL', 1_000_000_000n);
  node.chain.finalize();
  const { blockhash: recentBlockhash } = await rpc.latestBlockhash('confirmed');
  const lamports = 1_000_000;
  const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports });
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash }).add(transfer);
  transaction.sign(payer);
  const bytes = transaction.serialize();
  return {
    close,
    async ask() {
      try {
        return (await rpc.broadcast(bytes)).outcome;
      } catch (error) {
        if (error instanceof NodeError) return 'not taken';
        throw error;
      }
    },
  };
}

const WALLET = 'session-1';
/** Unsigned legacy transaction written by hand: one signer, one program, one instruction. */
const UNSIGNED = Buffer.concat([
  Uint8Array.of(1),
  new Uint8Array(64),
  Uint8Array.of(1, 0, 1, 2),
  fromBase58(sessionWallet(WALLET).address) as Uint8Array,
  new Uint8Array(32).fill(7),
  new Uint8Array(32).fill(9),
  Uint8Array.of(1, 1, 1, 0, 2, 5, 6),
]);

async function openSigner(clock: VirtualClock, faults: FaultSwitch, failed: (reason: string) => void): Promise<OpenClient> {
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const key = authorizationKey(pem);
  const read = readTransaction(UNSIGNED);
  if (key === null || !read.ok) throw new Error('the key or the transaction of the test is none');
  const prepared = toPreparedMessage(read.value, 100);
  const simulator = await createRemoteSignerSimulator({ clock, faults, port: 0, authorizationKeys: () => [key.publicKey] });
  const { id: appId, secret: appSecret } = SANDBOX_SIGNER_APP;
  await fetch(`${simulator.url}/v1/wallets/${WALLET}`, {
    method: 'PATCH',
    headers: { authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`, 'privy-app-id': appId },
    body: JSON.stringify({ additional_signers: [{ signer_id: 'service' }] }),
  });
  const signer = createRemoteSigner({ baseUrl: simulator.url, appId, appSecret, key, clock });
  return {
    close: simulator.close,
    async ask() {
      const answer = await signer.signTransaction(WALLET, UNSIGNED, 'order-1');
      if (answer.outcome === 'unavailable') failed(answer.reason);
      if (answer.outcome !== 'signed') return answer.outcome;
      const verified = verifySigned(prepared, answer.signed, verifyEd25519);
      return verified.ok ? 'signed as prepared' : verified.refusal.code;
    },
  };
}

/** Clients by the names of the settings and of the sandbox's simulators. */
export const CLIENTS: Readonly<Record<string, AskedClient>> = {
  identity: { well: 'accepted', everyMs: 60_000, faultMs: 20 * 60_000, open: openIdentity },
  'primarychain, read': { well: 'answered', everyMs: 5_000, faultMs: 90_000, open: openReads },
  'primarychain, broadcast': { well: 'sent', everyMs: 5_000, faultMs: 90_000, open: openBroadcasts },
  signer: { well: 'signed as prepared', everyMs: 5_000, faultMs: 90_000, open: openSigner },
};
