/**
 * The identity provider's signing API on loopback. Wallet keys are derived, requests need the app's credentials and an authorization
 * signature, and faults of a remote signer can be switched on.
 */
import { createPublicKey, verify } from 'node:crypto';
import type { Clock } from '../../../streams/clock/clock.ts';
import { canonicalJson, type Json } from '../../domain/values/canonical-json.ts';
import { fromBase58 } from '../../domain/solana/base58.ts';
import { readTransaction, type WireTransaction } from '../../domain/solana/message.ts';
import { fromBase64 } from '../../domain/solana/verify.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import { type SandboxKey, sandboxKey } from '../solana/keys.ts';

/** Behaviors of the simulated signer. `altered` adds an instruction, as wallets do for guards or priority fees. */
export const SIGNER_CONDUCTS = ['honest', 'altered', 'wrong_signature', 'unsigned', 'other_key'] as const;
export type SignerConduct = (typeof SIGNER_CONDUCTS)[number];

/** Credentials of the sandbox's app. They are valid only in the sandbox. */
export const SANDBOX_SIGNER_APP = { id: 'sandbox-app', secret: 'sandbox-app-secret' } as const;

export interface RemoteSignerSimulatorOptions {
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** Returns the app's registered authorization keys, SPKI in base64. Called for every request. */
  readonly authorizationKeys: () => readonly string[];
}

export type RemoteSignerSimulator = Awaited<ReturnType<typeof createRemoteSignerSimulator>>;

const WALLET = /^\/v1\/wallets\/(session-[a-z0-9-]{1,40})(\/rpc)?$/;
const MEMO = fromBase58('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr') as Uint8Array;

const refused = (status: number, error: string): LoopbackAnswer => ({ status, body: { error } });

/** Returns the key of a session wallet by its id. The sandbox's chain can fund its address. */
export function sessionWallet(id: string): SandboxKey {
  return sandboxKey(`session wallet ${id}`);
}

/** Starts the signer. `GET /v1/wallets/session-<name>` returns a wallet, `PATCH` sets its `additional_signers`, `POST …/rpc` signs. */
export async function createRemoteSignerSimulator(options: RemoteSignerSimulatorOptions) {
  const faults = options.faults ?? createFaultSwitch();
  /** Wallets whose owners have added the app as a session signer. */
  const delegated = new Set<string>();
  const signed = new Map<string, number>();
  let conduct: SignerConduct = 'honest';
  let url = '';

  function sign(id: string, transaction: WireTransaction): LoopbackAnswer {
    const key = sessionWallet(id);
    const place = transaction.staticKeys.indexOf(key.address);
    if (place < 0 || place >= transaction.header.requiredSignatures) return refused(400, 'the wallet is no signer of this transaction');
    signed.set(id, (signed.get(id) ?? 0) + 1);
    return signedBy(key, place, transaction, conduct);
  }

  function rpc(request: LoopbackRequest, id: string): LoopbackAnswer {
    const body = JSON.parse(request.body) as { method?: string; params?: { transaction?: string; message?: string; encoding?: string } };
    if (body.params?.encoding !== 'base64') return refused(400, 'params.encoding should be base64');
    if (body.method === 'signMessage') {
      // Signs as the owner, who does so in the provider's app on a device of their own.
      const message = Buffer.from(body.params.message ?? '', 'base64');
      const signature = Buffer.from(sessionWallet(id).sign(message)).toString('base64');
      return { status: 200, body: { method: 'signMessage', data: { signature, encoding: 'base64' } } };
    }
    if (body.method !== 'signTransaction') return refused(400, 'the method should be signTransaction or signMessage');
    if (!isAuthorized(options.authorizationKeys(), url, request, body as Json)) return refused(401, 'Invalid authorization signature');
    if (!delegated.has(id)) return refused(403, 'The app is no signer of this wallet');
    const read = readTransaction(fromBase64(body.params.transaction ?? '') ?? new Uint8Array());
    return read.ok ? sign(id, read.value) : refused(400, read.refusal.detail);
  }

  function answer(request: LoopbackRequest): LoopbackAnswer {
    if (faults.happens(faults.settings.status429)) return refused(429, 'Too many requests');
    if (faults.happens(faults.settings.status5xx)) return refused(503, 'Unavailable');
    if (request.path === '/conduct' && request.method === 'PUT') {
      const asked = (JSON.parse(request.body) as { conduct?: SignerConduct }).conduct;
      if (asked === undefined || !SIGNER_CONDUCTS.includes(asked))
        return refused(400, `conduct should be one of ${SIGNER_CONDUCTS.join(', ')}`);
      conduct = asked;
      return { status: 200, body: { conduct } };
    }
    const basic = Buffer.from(`${SANDBOX_SIGNER_APP.id}:${SANDBOX_SIGNER_APP.secret}`).toString('base64');
    if (request.headers.authorization !== `Basic ${basic}` || request.headers['privy-app-id'] !== SANDBOX_SIGNER_APP.id)
      return refused(401, 'Invalid app credentials');
    const [, id, call] = WALLET.exec(request.path) ?? [];
    if (id === undefined) return refused(404, 'there is no such wallet; ids look like session-1');
    if (call !== undefined) return request.method === 'POST' ? rpc(request, id) : refused(405, 'POST');
    if (request.method === 'PATCH') {
      const { additional_signers: signers } = JSON.parse(request.body) as { additional_signers?: readonly unknown[] };
      if (Array.isArray(signers) && signers.length > 0) delegated.add(id);
      else delegated.delete(id);
    } else if (request.method !== 'GET') return refused(405, 'GET or PATCH');
    const additional = delegated.has(id) ? [{ signer_id: 'sandbox-service' }] : [];
    return { status: 200, body: { id, address: sessionWallet(id).address, chain_type: 'solana', additional_signers: additional } };
  }

  const server = await listenOnLoopback({
    clock: options.clock,
    faults,
    port: options.port,
    socket: () => null,
    request: (request) => {
      try {
        return answer(request);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        return refused(400, 'the body should be JSON');
      }
    },
  });
  url = server.url;
  return {
    url,
    faults,
    /** Number of transactions signed, by wallet. */
    signed,
    /** Sets the behavior from the next request on. */
    behave: (how: SignerConduct) => {
      conduct = how;
    },
    close: server.close,
  };
}

/** True if one of the keys signed a request to this URL. */
function isAuthorized(keys: readonly string[], url: string, request: LoopbackRequest, body: Json): boolean {
  const headers = Object.fromEntries(
    ['privy-app-id', 'privy-idempotency-key', 'privy-request-expiry'].flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const text = canonicalJson({ version: 1, method: request.method, url: `${url}${request.path}`, body, headers });
  const given = String(request.headers['privy-authorization-signature'] ?? '').split(',');
  return keys.some((key) => {
    const spki = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    return given.some((one) => verify('sha256', Buffer.from(text), { key: spki, dsaEncoding: 'der' }, Buffer.from(one, 'base64')));
  });
}

/** Puts the wallet's signature into the transaction, or a faulty one as the behavior requires. */
function signedBy(key: SandboxKey, place: number, transaction: WireTransaction, conduct: SignerConduct): LoopbackAnswer {
  const message = conduct === 'altered' ? withMemo(transaction) : transaction.message;
  const signer = conduct === 'other_key' ? sessionWallet('session-somebody-else') : key;
  const signature = Buffer.from(signer.sign(message));
  if (conduct === 'wrong_signature') signature[7] = (signature[7] as number) ^ 1;
  if (conduct === 'unsigned') signature.fill(0);
  const signatures = transaction.signatures.map((one, index) => (index === place ? signature : one));
  const bytes = Buffer.concat([Uint8Array.of(signatures.length), ...signatures, message]);
  return {
    status: 200,
    body: { method: 'signTransaction', data: { signed_transaction: bytes.toString('base64'), encoding: 'base64' } },
  };
}

/** Appends a memo instruction. Its program follows the static keys, so indices into lookup tables shift by one. */
function withMemo({ version, header, staticKeys, blockhash, instructions, lookups }: WireTransaction): Uint8Array {
  const before = staticKeys.length;
  const all = instructions.map(({ program, accounts, data }) => ({ program: staticKeys.indexOf(program), accounts, data }));
  const memo = { program: before, accounts: [0], data: Buffer.from('guarded') };
  const moved = (index: number): number => (index >= before ? index + 1 : index);
  return Buffer.concat([
    version === 0 ? Uint8Array.of(0x80) : new Uint8Array(),
    Uint8Array.of(header.requiredSignatures, header.readonlySigned, header.readonlyUnsigned + 1),
    count(before + 1),
    ...staticKeys.map((key) => fromBase58(key) as Uint8Array),
    MEMO,
    fromBase58(blockhash) as Uint8Array,
    count(all.length + 1),
    ...[...all, memo].flatMap(({ program, accounts, data }) => [
      Uint8Array.of(program),
      count(accounts.length),
      Uint8Array.from(accounts, moved),
      count(data.length),
      data,
    ]),
    ...(version === 0
      ? [
          count(lookups.length),
          ...lookups.flatMap(({ table, writable, readonly }) => [
            fromBase58(table) as Uint8Array,
            count(writable.length),
            Uint8Array.from(writable),
            count(readonly.length),
            Uint8Array.from(readonly),
          ]),
        ]
      : []),
  ]);
}

/** Encodes a compact-u16. */
function count(value: number): Uint8Array {
  return value < 0x80 ? Uint8Array.of(value) : Uint8Array.of((value & 0x7f) | 0x80, value >> 7);
}
