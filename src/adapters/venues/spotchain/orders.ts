/**
 * Requests routes and their transactions from the aggregator; answers are parsed strictly and verified. See
 * docs/reference/outside/aggregator.md.
 */
import type { RouteRequest } from '../../../../actors/prepared-transaction/swap-router.ts';
import { plainDecimal } from '../../../domain/values/decimal.ts';
import type { RiskRejection } from '../../../domain/agents/decision.ts';
import { type Outcome, refuse } from '../../../domain/values/refusal.ts';
import { blockedBecause } from '../../../domain/risk/blocked-by-risk.ts';
import { fromBase64 } from '../../../domain/solana/verify.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import type { KeyedClient } from '../reference/keyed-client.ts';
import { VenueError } from '../venue-feed.ts';
import { QUOTE_FIELDS, readLeg } from './map.ts';

interface RouteAnswered {
  readonly inAmount: string;
  readonly outAmount: string;
  readonly minOutAmount: string;
  readonly priceImpactPct: string | null;
  readonly steps: readonly { readonly venue: string; readonly inputMint: string; readonly outputMint: string; readonly percent: number }[];
  readonly transaction: { readonly bytes: Uint8Array; readonly base64: string; readonly lastValidBlockHeight: number } | null;
}

const RAW = /^[1-9]\d{0,19}$/;
const HEIGHT = /^[1-9]\d{0,14}$/;
/** Router whose maker signs after the wallet. Excluded, because only it could broadcast, and the complete transaction is never seen. */
const LATE_SIGNERS = 'jupiterz';
/** Error codes for missing balance or lamports. */
const LACKING: ReadonlySet<unknown> = new Set([1, 2, 3]);

/** Creates the client of `GET /swap/v2/order`. */
export function createSpotchainRoutes(client: Pick<KeyedClient, 'get'>): { route(asked: RouteRequest): Promise<Outcome<RouteAnswered>> } {
  return {
    async route(asked) {
      const { inputMint, outputMint, amount, slippageBps, taker } = asked;
      let body: unknown;
      try {
        body = await client.get(
          '/swap/v2/order',
          [
            ['inputMint', inputMint],
            ['outputMint', outputMint],
            ['amount', amount],
            ['swapMode', 'ExactIn'],
            ['slippageBps', String(slippageBps)],
            ['excludeRouters', LATE_SIGNERS],
            ...(taker === null ? [] : [['taker', taker] as const]),
          ],
          QUOTE_FIELDS,
        );
      } catch (error) {
        if (!(error instanceof VenueError)) throw error;
        // An answer about another route counts as no answer.
        return error.status === 400
          ? refuse('route_refused', `the aggregator has no route: ${error.message}`)
          : refuse('unavailable', `the aggregator gives no route at the moment: ${error.message}`);
      }
      return readRoute(body, asked);
    },
  };
}

const senseless = (what: string): Outcome<never> => refuse('route_refused', `the aggregator's answer makes no sense: ${what}`);

function readRoute(body: unknown, { inputMint, outputMint, amount, taker }: RouteRequest): Outcome<RouteAnswered> {
  const leg = readLeg(body, inputMint, outputMint, amount);
  if (typeof leg === 'string') return senseless(leg);
  const answer = body as Record<string, unknown>;
  const { otherAmountThreshold: minOutAmount, priceImpact, gasless } = answer;
  if (typeof minOutAmount !== 'string' || !RAW.test(minOutAmount)) return senseless('otherAmountThreshold is no raw amount above zero');
  if (gasless === true) return refuse('route_refused', 'the aggregator offers a route that somebody else pays for and sends');
  const steps = readSteps(answer['routePlan']);
  if (steps === null) return senseless('routePlan is no list of steps');
  const priceImpactPct = typeof priceImpact === 'number' && Number.isFinite(priceImpact) ? plainDecimal(priceImpact) : null;
  const route = { inAmount: leg.inAmount, outAmount: leg.outAmount, minOutAmount, priceImpactPct, steps };
  if (taker === null) return { ok: true, value: { ...route, transaction: null } };
  const transaction = readTransaction(answer, taker);
  return transaction.ok ? { ok: true, value: { ...route, transaction: transaction.value } } : transaction;
}

function readSteps(plan: unknown): RouteAnswered['steps'] | null {
  if (!Array.isArray(plan)) return null;
  return plan.map((one: unknown) => {
    const { swapInfo, percent } = (typeof one === 'object' && one !== null ? one : {}) as Record<string, unknown>;
    const { label, inputMint, outputMint } = (typeof swapInfo === 'object' && swapInfo !== null ? swapInfo : {}) as Record<string, unknown>;
    const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 60) : '');
    return {
      venue: text(label),
      inputMint: text(inputMint),
      outputMint: text(outputMint),
      percent: typeof percent === 'number' && Number.isFinite(percent) ? percent : 0,
    };
  });
}

function readTransaction(answer: Record<string, unknown>, taker: string): Outcome<NonNullable<RouteAnswered['transaction']>> {
  const { transaction, errorCode, errorMessage, error, lastValidBlockHeight, taker: named } = answer;
  const said = [errorMessage, error].find((text) => typeof text === 'string' && text !== '') as string | undefined;
  if (typeof transaction !== 'string' || transaction === '') {
    const words = said?.slice(0, 200) ?? 'it does not say why';
    return LACKING.has(errorCode) ? lacking(words) : refuse('route_refused', `the aggregator builds no transaction: ${words}`);
  }
  if (named !== undefined && named !== taker) return senseless('the transaction is for another wallet');
  const bytes = fromBase64(transaction);
  if (bytes === null) return senseless('the transaction is not base64 in its canonical encoding');
  // The height is text in the present version and a number in the earlier one.
  const height = valueText(lastValidBlockHeight);
  if (!HEIGHT.test(height)) return senseless('lastValidBlockHeight is no block height');
  return { ok: true, value: { bytes, base64: transaction, lastValidBlockHeight: Number(height) } };
}

function lacking(words: string): Outcome<never> {
  const rejection: RiskRejection = {
    code: 'insufficient_balance',
    limit: null,
    before: null,
    after: null,
    suggestion: 'fund the wallet, or ask for less',
  };
  return blockedBecause(rejection, `the wallet lacks what it would give: ${words}`);
}
