/** Risk at an approval and at an execution, on the present quote, book and mandate. */
import { untouchedBook } from '../../actors/agent/tick-risk.ts';
import type { ManualVerdict } from '../../actors/manual-order/manual-order.ts';
import type { MarketOrderRequest, MarketPreTrade } from '../../actors/market-order/commands.ts';
import type { PresentVerdict, PreTrade } from '../../actors/proposal/present-verdict.ts';
import { bookIds, markBook, type OpenProposal, type TradingBook } from '../domain/books/book.ts';
import { freeDollars, NO_ACCOUNTS } from '../domain/books/free-dollars.ts';
import { computePriceStep, findMarketStep, floorToStep } from '../domain/market/market-step.ts';
import type { Quote } from '../domain/market/quote.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import { atPresentPrice, completeOrder, computeLimitPrice, type ExecutionMode, type Order } from '../domain/orders/order.ts';
import { liveTouch } from '../domain/risk/blocked-by-risk.ts';
import { assessOrder, decideHalt, exposureOfSums, orderContext, plusCash, type RiskContext } from '../domain/risk/index.ts';
import { Decimal, type DecimalString } from '../domain/values/decimal.ts';
import { type Outcome, refuse } from '../domain/values/refusal.ts';
import { createLiveMarks } from './live-marks.ts';
import { accountAfter, createManualRisk, type ManualRisk, type ManualRiskOptions } from './manual-risk.ts';
import { createMarketLook, deepEnough, lookFor, type MarketLook, type MarketLookDeps, type PresentInstrument } from './present-market.ts';

/** Default slippage in basis points of a manual order beyond its price, if neither the person nor the preferences set one. */
const MANUAL_SLIPPAGE_BPS = 50;
/** Id of orders that are never placed. */
const PREVIEW = 'preview';

/** Assesses possible manual orders, and returns the inputs. Nothing is stored or reserved. */
export type ImpactPreTrade = Pick<ReturnType<typeof createPreTrade>, 'preview'>;

/** Makes an order from the present quote and the organization's slippage limit in basis points. */
type Compile = (quote: Quote | null, maxSlippageBps: number) => Outcome<Order>;

export function createPreTrade(deps: MarketLookDeps) {
  const { reads, bus, clock } = deps;
  const look = createMarketLook(deps);
  const marks = createLiveMarks(bus, clock);
  const marked = (state: TradingBook) => markBook(state, marks(state.holdings.map(({ instrument }) => instrument)), clock.now());
  const manual = createManualRisk(deps);

  /** Assesses a manual order that `compile` makes from the present quote. */
  const validateManual = async (
    orgId: string,
    mode: ExecutionMode,
    instrument: InstrumentKey,
    compile: Compile,
    more?: ManualRiskOptions,
  ) => (await validateOn(manual, look, await look(instrument), orgId, mode, compile, more)).assessed;

  const checks: PreTrade & MarketPreTrade = {
    async validateInTurn(orgId, mode, asked, place) {
      const instruments = [...new Set(asked.map(({ request }) => request.instrument))];
      const looks = new Map(await Promise.all(instruments.map(async (instrument) => [instrument, await look(instrument)] as const)));
      let account = await reads.manualAccount(orgId, mode);
      for (const [index, { id, request }] of asked.entries()) {
        const compile: Compile = (quote, longest) => compiledManual(orgId, id, mode, request, quote, longest);
        const seen = looks.get(request.instrument) as PresentInstrument;
        const { assessed, present } = await validateOn(manual, look, seen, orgId, mode, compile, { account });
        looks.set(request.instrument, present);
        account = accountAfter(account, orgId, mode, place(index, assessed));
      }
    },

    async reassess(orgId, { order, epoch }) {
      const assessed = await validateManual(orgId, order.mode, order.instrument, () => ({ ok: true, value: order }), { placedIn: epoch });
      if (!assessed.ok) throw new Error(assessed.refusal.detail);
      return assessed.value.verdict;
    },

    async assess(orgId, { agentId, order, readsReference, epoch, flattens }): Promise<PresentVerdict> {
      const [agent, books, others, accounts, { preferences, version: mandateVersion }, present] = await Promise.all([
        reads.agent(orgId, agentId),
        reads.agentBooks(agentId),
        reads.otherBooks(orgId, order.mode, order.bookId),
        order.mode === 'live' ? reads.accounts(orgId) : NO_ACCOUNTS,
        reads.preferences(orgId),
        lookFor(look, order),
      ]);
      if (agent === null) throw new Error(`organization ${orgId} has no agent ${agentId}`);
      const context = orderContext(order, {
        market: present.market,
        readsReference,
        agent,
        preferences,
        book: marked(books.get(order.bookId)?.state ?? untouchedBook(agent)),
        others: exposureOfSums(
          plusCash(others, freeDollars(accounts, clock.now(), order.bookId).usd),
          marks(others.assets.map(({ instrument }) => instrument)),
        ),
        control: {
          halt: decideHalt({ decidedEpoch: epoch ?? agent.epoch, epoch: agent.epoch, paused: agent.paused, closes: flattens === true }),
          disabled: deps.disabledVenues(agent.autonomy, orgId),
        },
      });
      // A price that has come closer since the decision keeps its slippage budget, so that a better price is no breach.
      const verdict = assessOrder(atPresentPrice(order, present.quote), context);
      return verdict.ok
        ? {
            ok: true,
            approved: verdict.approved,
            risk: verdict.attribution,
            market: { quote: present.quote, depth: present.depth, liquidityUsd: present.market.liquidityUsd },
            mandateVersion,
          }
        : { ok: false, risk: verdict.attribution, mandateVersion };
    },
  };
  return {
    ...checks,
    /** Assesses an order. `alongside` counts as pending in the manual book. */
    preview: (orgId: string, mode: ExecutionMode, request: MarketOrderRequest, alongside: readonly OpenProposal[]) =>
      validateManual(orgId, mode, request.instrument, (quote, longest) => compiledManual(orgId, PREVIEW, mode, request, quote, longest), {
        alongside,
      }),
  };
}

/** Assesses a manual order that `compile` makes, on the given market or on a deeper look. */
async function validateOn(
  manual: ManualRisk,
  look: MarketLook,
  present: PresentInstrument,
  orgId: string,
  mode: ExecutionMode,
  compile: Compile,
  more?: ManualRiskOptions,
): Promise<{ readonly assessed: Outcome<ManualVerdict & { readonly context: RiskContext }>; readonly present: PresentInstrument }> {
  const assessOn = (seen: PresentInstrument) =>
    manual.validate(
      orgId,
      mode,
      seen,
      (longest) => {
        const compiled = compile(seen.quote, longest);
        return compiled.ok ? { ok: true, value: atPresentPrice(compiled.value, seen.quote) } : compiled;
      },
      more,
    );
  const assessed = await assessOn(present);
  const deeper = assessed.ok ? await deepEnough(look, present, assessed.value.order) : present;
  return deeper === present ? { assessed, present } : { assessed: await assessOn(deeper), present: deeper };
}

/** Returns a manual order at the present price: sized, with a slippage limit, in whole steps of its instrument. */
function compiledManual(
  orgId: string,
  id: string,
  mode: ExecutionMode,
  request: MarketOrderRequest,
  quote: Quote | null,
  longestSlippageBps: number,
): Outcome<Order> {
  const { instrument, side } = request;
  const { lot } = findMarketStep(instrument);
  const whole = (value: DecimalString, step: DecimalString): boolean => new Decimal(value).mod(step).isZero();
  if (request.quantity !== null && !whole(request.quantity, lot))
    return refuse('malformed', `$.quantity: it should be a multiple of ${lot}`);
  const step = request.limitPrice === null ? null : computePriceStep(instrument, request.limitPrice);
  if (request.limitPrice !== null && step !== null && !whole(request.limitPrice, step))
    return refuse('malformed', `$.limitPrice: it should be a multiple of ${step}`);
  const touch = liveTouch(instrument, side, quote);
  if (!touch.ok) return touch;
  const maxSlippageBps = request.maxSlippageBps ?? Math.min(MANUAL_SLIPPAGE_BPS, longestSlippageBps);
  const limitPrice = request.limitPrice ?? computeLimitPrice(instrument, side, touch.value, maxSlippageBps);
  const quantity = request.quantity ?? floorToStep(new Decimal(request.notionalUsd ?? '0').div(limitPrice), lot);
  if (!new Decimal(quantity).gt(0)) return refuse('malformed', `$.notionalUsd: at ${limitPrice} it is less than one lot of ${lot}`);
  const bookId = bookIds.manual(orgId, mode);
  return { ok: true, value: completeOrder({ id, origin: 'manual', mode, bookId, instrument, side, quantity, limitPrice, maxSlippageBps }) };
}
