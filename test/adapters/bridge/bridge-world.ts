// Both chains, both providers and their readers over real sockets, for the tests of bridging.
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createCctpProvider } from '../../../src/adapters/bridge/cctp/provider.ts';
import { createEvmBridgeChain } from '../../../src/adapters/bridge/evm-bridge-chain.ts';
import { createProviderHttp } from '../../../src/adapters/bridge/provider-http.ts';
import { createRelayProvider } from '../../../src/adapters/bridge/relay/provider.ts';
import { createSolanaBridgeChain } from '../../../src/adapters/bridge/solana-chain.ts';
import { createSolanaRpc } from '../../../src/adapters/solana/rpc.ts';
import { createRequestBudgets, openBridge } from '../../../src/boot/outside/index.ts';
import type { BridgeWish } from '../../../src/domain/bridge/quote.ts';
import type { PlannedOffer, QuotedTransaction, TransferTerms } from '../../../src/domain/bridge/transfer.ts';
import { USDC_DECIMALS, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { EVM_CHAIN_ID, EVM_TOKENS } from '../../../src/domain/identity/evm-chain.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { toPreparedMessage } from '../../../src/domain/solana/verify.ts';
import { createCctpSimulator } from '../../../src/sandbox/bridge/cctp-simulator.ts';
import { createRelaySimulator } from '../../../src/sandbox/bridge/relay-simulator.ts';
import { createEvmChainSimulator, foundLedger, newestBlock } from '../../../src/sandbox/evmchain/simulator.ts';
import { createSolanaSimulator } from '../../../src/sandbox/solana/simulator.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { outsideAddresses } from '../../world/outside-addresses.ts';

export const TOKEN = EVM_TOKENS[0]?.contract as Hex;
export const SOLANA_WALLET = Keypair.fromSeed(new Uint8Array(32).fill(21));
export const EVM_WALLET = privateKeyToAccount(`0x${'15'.repeat(32)}`);
const STABLE = { mint: USDC_MINT, decimals: USDC_DECIMALS };

/** Creates a clock that can be moved forward. Deadlines stay real. */
export function shiftedClock(start?: number): Clock & { forward(ms: number): void } {
  const live = createLiveClock();
  let shift = start === undefined ? 0 : start - live.now();
  return {
    now: () => live.now() + shift,
    elapsed: () => live.elapsed() + shift,
    deadline: (at, call) => live.deadline(at - shift, call),
    forward: (ms) => void (shift += ms),
  };
}

/** `start` is the initial time; default now. */
export async function openBridgeWorld(start?: number) {
  const clock = shiftedClock(start);
  const solana = await createSolanaSimulator({ clock, seed: 15, port: 0, slots: 'manual', mints: [], stable: STABLE });
  let block = newestBlock(clock.now());
  const ledger = foundLedger({ chainId: EVM_CHAIN_ID, tokens: EVM_TOKENS, newest: () => block });
  const evm = await createEvmChainSimulator({ chainId: EVM_CHAIN_ID, tokens: EVM_TOKENS, clock, port: 0, ledger });
  const chains = { solana: solana.chain, evm: ledger, stable: STABLE, token: TOKEN };
  const relaySimulator = await createRelaySimulator({ ...chains, chainId: EVM_CHAIN_ID, clock, port: 0 });
  const cctpSimulator = await createCctpSimulator({ ...chains, evmDomain: 3, clock, port: 0 });
  const node = createSolanaRpc({ url: solana.url, clock });
  const evmChain = createEvmBridgeChain({ url: evm.url, chainId: EVM_CHAIN_ID, token: TOKEN, clock, timeoutMs: 60_000 });
  const solanaChain = createSolanaBridgeChain(node, USDC_MINT);
  const httpOf = (url: string) => createProviderHttp({ url, key: null, clock, random: () => 0, perMinute: 10_000 });
  const shared = { chainId: EVM_CHAIN_ID, mint: USDC_MINT, token: TOKEN, allowance: evmChain.allowance, clock };
  const relay = createRelayProvider({ ...shared, http: httpOf(relaySimulator.url) });
  const cctp = createCctpProvider({
    ...shared,
    http: httpOf(cctpSimulator.url),
    hasTokenAccount: async (owner) => {
      const held = await node.balancesOf(owner);
      return held.ok && held.value.tokens.some(({ mint }) => mint === USDC_MINT);
    },
    gasPrice: evmChain.gasPrice,
    coinUsd: () => '0.01',
  });
  solana.fund(SOLANA_WALLET.publicKey.toBase58(), 'SOL', 5_000_000_000n);
  solana.fund(SOLANA_WALLET.publicKey.toBase58(), USDC_MINT, 10_000_000_000n);
  ledger.setBalance(EVM_WALLET.address, TOKEN, 10_000_000_000n);
  ledger.setBalance(EVM_WALLET.address, null, 10n ** 18n);
  ledger.setNonce(EVM_WALLET.address, 0);
  solana.chain.finalize();
  return {
    clock,
    solana,
    evm,
    ledger,
    node,
    relaySimulator,
    cctpSimulator,
    providers: { relay, cctp },
    chains: { spotchain: solanaChain, evmvenue: evmChain },
    evmChain,
    /** Mines blocks of the EVM chain. */
    mine: (blocks: number) => void (block += blocks),
    /** Brings the EVM chain up to its clock. */
    catchUp: () => void (block = Math.max(block, newestBlock(clock.now()))),
    async close() {
      node.close();
      await Promise.all([solana.close(), evm.close(), relaySimulator.close(), cctpSimulator.close()]);
    },
  };
}
export type BridgeWorld = Awaited<ReturnType<typeof openBridgeWorld>>;

/** Opens bridging as a process of the service does, over the wires of a world. */
export function openBridgeOver(world: BridgeWorld): NonNullable<ReturnType<typeof openBridge>> {
  const { relaySimulator, cctpSimulator, evm, solana, clock } = world;
  const addresses = outsideAddresses(() => 'http://127.0.0.1:1');
  const bridge = openBridge({
    addresses: {
      ...addresses,
      relay: { url: relaySimulator.url, streamUrl: relaySimulator.wsUrl, key: null },
      cctpUrl: cctpSimulator.url,
      evmchain: { url: evm.url, chainId: EVM_CHAIN_ID, tokens: EVM_TOKENS },
      spotchain: { ...addresses.spotchain, rpcUrl: solana.url },
    },
    budgets: createRequestBudgets(),
    quote: () => null,
    clock,
    random: () => 0,
    onFailure: () => {},
    note: () => {},
  });
  if (bridge === null) throw new Error('the world has no bridge');
  return bridge;
}

/** Signs the unsigned transaction of a quote on the primary chain as the wallet does. Base64. */
export function signSolana(unsignedBase64: string): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(unsignedBase64, 'base64'));
  transaction.sign([SOLANA_WALLET]);
  return Buffer.from(transaction.serialize()).toString('base64');
}

export function wishFrom(from: 'spotchain' | 'evmvenue', amount = '100'): BridgeWish {
  const ends = [SOLANA_WALLET.publicKey.toBase58(), EVM_WALLET.address] as const;
  return from === 'spotchain'
    ? { from, to: 'evmvenue', token: 'USDC', amount, sender: ends[0], recipient: ends[1] }
    : { from, to: 'spotchain', token: 'USDC', amount, sender: ends[1], recipient: ends[0] };
}

/** Returns an offer's terms with its signed source transaction, which is not sent. */
export async function signedTransfer(world: BridgeWorld, offer: PlannedOffer, wish: BridgeWish) {
  const { plan } = offer;
  if (plan.kind === 'solana') {
    const { blockhash, lastValidBlockHeight } = await world.node.latestBlockhash('confirmed');
    const bytes = plan.build(blockhash);
    const read = readTransaction(bytes);
    if (!read.ok) throw new Error(read.refusal.detail);
    const source: QuotedTransaction = {
      kind: 'solana',
      wallet: wish.sender,
      unsignedBase64: Buffer.from(bytes).toString('base64'),
      prepared: toPreparedMessage(read.value, lastValidBlockHeight),
      depositRaw: offer.amountIn,
      mint: USDC_MINT,
      escrowAccount: plan.escrowAccount,
      call: plan.call,
    };
    const transaction = VersionedTransaction.deserialize(bytes);
    transaction.sign([SOLANA_WALLET]);
    const signed = Buffer.from(transaction.serialize()).toString('base64');
    const { base58 } = await import('../../../src/domain/solana/base58.ts');
    return { signed, terms: termsOf(offer, wish, source, base58(transaction.signatures[0] as Uint8Array), null) };
  }
  let nonce = world.ledger.nonce(EVM_WALLET.address);
  if (plan.approval !== null) world.ledger.submit(await signEvm(plan.approval, nonce++));
  const signed = await signEvm(plan.transaction, nonce);
  const { keccak256 } = await import('viem');
  return { signed, terms: termsOf(offer, wish, { ...plan.transaction, approval: plan.approval }, keccak256(signed), nonce) };
}

export function signEvm(
  { chainId, to, data, value }: { chainId: number; to: string; data: string; value: string },
  nonce: number,
): Promise<Hex> {
  return EVM_WALLET.signTransaction({
    type: 'eip1559',
    chainId,
    to: to as Hex,
    data: data as Hex,
    value: BigInt(value),
    nonce,
    gas: 300_000n,
    maxFeePerGas: 20_000_000n,
    maxPriorityFeePerGas: 0n,
  });
}

/** Signs another transaction with the wallet's next nonce. */
export function signOther(nonce: number): Promise<Hex> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [`0x${'77'.repeat(20)}`, 1n] });
  return signEvm({ chainId: EVM_CHAIN_ID, to: TOKEN, data, value: '0' }, nonce);
}

function termsOf(offer: PlannedOffer, wish: BridgeWish, source: QuotedTransaction, hash: string, nonce: number | null): TransferTerms {
  const { provider, reference, amountIn, minimumOut } = offer;
  const heads = { spotchain: { height: 0, at: null }, evmvenue: { height: 0, at: null } };
  return { wish, provider, reference, amountIn, minimumOut, source, heads, hash, nonce };
}
