/** Route of a swap through a launched token's curve or pool, as one instruction of the aggregator's program. */
import { type Address, address, type Instruction } from '@solana/kit';
import { swapInstruction } from '../../domain/launch/curve/program.ts';
import type { CurveDirection } from '../../domain/launch/curve/curve-swap.ts';
import { successorSwapInstruction } from '../../domain/launch/successor-pool.ts';
import { ROUTE_AUTHORITY, type RouteStep, routeInstruction } from '../solana/aggregator-program.ts';
import type { SolanaChain } from '../solana/chain.ts';
import { fund, NATIVE } from '../solana/genesis.ts';
import { buildTransaction, createAssociatedAccount } from '../solana/instructions.ts';
import type { SandboxKey } from '../solana/keys.ts';
import { kitInstruction } from '../solana/launch-programs/modelled-machine.ts';
import { decodeTransaction } from '../solana/decode-transaction.ts';
import type { LaunchedToken } from './launched-market.ts';

export interface LaunchedRoute {
  readonly token: LaunchedToken;
  readonly direction: CurveDirection;
  /** Maker's trade between the stablecoin and the token's quote token, or null if the quote token is the stablecoin. */
  readonly maker: { readonly given: bigint; readonly got: bigint } | null;
}

/** Swap through the route, with its taker. */
interface RoutedSwap {
  readonly taker: Address;
  readonly to: Address;
  readonly inputMint: string;
  readonly outputMint: string;
  readonly given: bigint;
  readonly quoted: bigint;
  readonly slippageBps: number;
}

const ROUTE_OWNER = address(ROUTE_AUTHORITY);
/** Rent of a few token accounts, in lamports. */
const PURSE = 10_000_000n;

/** Creates the aggregator's own token accounts of these mints if missing. */
export function openRouteAccounts(
  chain: SolanaChain,
  payer: SandboxKey,
  mints: readonly string[],
  programOf: (mint: string) => Address,
): void {
  const openings = mints.map((mint) => createAssociatedAccount(payer.address, ROUTE_OWNER, address(mint), programOf(mint)));
  const missing = openings.filter(({ accounts }) => chain.account(accounts?.[1]?.address as Address, 'processed') === null);
  if (missing.length === 0) return;
  fund(chain, payer.address, NATIVE, PURSE);
  const { blockhash } = chain.latestBlockhash('processed');
  const bytes = buildTransaction({ version: 0, feePayer: payer.address, blockhash, instructions: missing, signers: [payer] });
  if (chain.landNow(decodeTransaction(bytes))?.run.error !== null)
    throw new Error(`the aggregator's accounts of ${mints.join(', ')} could not be opened`);
}

/** Builds the route's instruction. A maker that takes part must sign. */
export function launchedRoute(
  { token, direction, maker }: LaunchedRoute,
  { taker, to, inputMint, outputMint, given, quoted, slippageBps }: RoutedSwap,
  {
    stable,
    maker: makerAddress,
    accountOf,
  }: { readonly stable: string; readonly maker: Address; accountOf(owner: Address, mint: string): Address },
): Instruction {
  const { quoteMint } = token.keys;
  const own = (mint: string): Address => accountOf(ROUTE_OWNER, mint);
  const accounts = { baseAccount: own(token.mint), quoteAccount: own(quoteMint) };
  const order = { direction, mode: 'exactIn', amount: 0n, bound: 0n, trader: ROUTE_OWNER, ...accounts } as const;
  const instruction = token.venue === 'curve' ? swapInstruction(token.keys, order) : successorSwapInstruction(token.keys, order);
  const steps: RouteStep[] = [{ kind: 'venue', instruction, into: own(direction === 'buy' ? token.mint : quoteMint) }];
  if (maker !== null) {
    const side = (mint: string) => ({ mint, makerAccount: accountOf(makerAddress, mint), routeAccount: own(mint) });
    const [input, output] = direction === 'buy' ? [stable, quoteMint] : [quoteMint, stable];
    const step: RouteStep = { kind: 'maker', maker: makerAddress, input: side(input), output: side(output), ...maker };
    if (direction === 'buy') steps.unshift(step);
    else steps.push(step);
  }
  const ends = { source: accountOf(taker, inputMint), destination: accountOf(to, outputMint), inputMint, outputMint };
  const through = { routeSource: own(inputMint), routeDestination: own(outputMint) };
  return kitInstruction(routeInstruction({ taker, ...ends, ...through, amount: given, quoted, slippageBps, steps }));
}
