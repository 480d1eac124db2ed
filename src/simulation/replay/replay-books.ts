/** Books and open proposals of a replay, computed from the steps' records like in live trading but without a database. */
import { toBookId, untouchedBook } from '../../../actors/agent/tick-risk.ts';
import type { ShownExecution } from '../../../actors/proposal/parts.ts';
import type { TradingDuty } from '../../../actors/ticking/trading-decisions.ts';
import {
  applyFill,
  applyFunding,
  type Fill,
  type MultiplierChange,
  type OpenProposal,
  rescaledBook,
  type TradingBook,
} from '../../domain/books/book.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import { isOpenProposal, type ProposalState } from '../../domain/orders/execution.ts';
import { type FundingPayment, computeFundingUsd, type HourlyTerms, type PerpetualFill } from '../../domain/orders/funding.ts';
import { isPerpetual } from '../../domain/orders/margin.ts';
import type { ExecutionMode, Order } from '../../domain/orders/order.ts';
import { type ExactSums, RunningSums } from '../../domain/risk/index.ts';
import type { BookDay } from '../../domain/tape/tick-inputs.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';

/** Proposal as its steps project it. */
export interface ProjectedProposal {
  readonly id: string;
  readonly agentId: string;
  readonly state: ProposalState;
  readonly order: Order;
  /** Reserved notional in US dollars. */
  readonly notionalUsd: DecimalString;
  readonly execution: ShownExecution;
}

/** State of an agent that determines whether and how it trades. */
export interface BrokeredAgent extends TradingDuty {
  readonly paused: boolean;
}

/** Fill of a replay, with the book after it. */
export interface ReplayedFill {
  readonly agentId: string;
  readonly proposalId: string;
  readonly fill: Fill;
  readonly book: TradingBook;
}

export class ReplayBooks {
  readonly #agent: (id: string) => BrokeredAgent;
  readonly #changes: () => number;
  /** Number of actor changes at the last count of unbooked proposals; -1 if they must be counted. */
  #countedAt = -1;
  readonly #books = new Map<string, TradingBook>();
  /** Agent of each book, by book id. */
  readonly #owners = new Map<string, string>();
  /** Owners of open proposals, in order of creation, and their reservations by book. */
  readonly #open = new Map<string, string>();
  readonly #openByBook = new Map<string, Map<string, OpenProposal>>();
  readonly #states = new Map<string, ProposalState>();
  /** Agents with a touched book. */
  readonly #active = new Set<string>();
  /** Cached books with their open proposals, replaced when either changes, so that values derived from them can be cached. */
  readonly #current = new Map<string, TradingBook>();
  /** Sums of each organization's books, by mode. */
  readonly #sums = new Map<string, RunningSums>();
  /** Books that changed since they were last summed, and books without a fill that have or had an open proposal. */
  readonly #uncounted = new Set<string>();
  readonly #unbooked = new Map<string, { readonly agentId: string; readonly mode: ExecutionMode }>();
  /** Cached id of each agent's current book. */
  readonly #bookIds = new WeakMap<BrokeredAgent, string>();
  readonly #funding = new Map<string, FundingPayment[]>();
  /** Fills of perpetuals by book, from its first one since it held none. */
  readonly #perpetualFills = new Map<string, PerpetualFill[]>();
  #fills = 0;

  /** @param changes returns the number of actor changes so far */
  constructor(agent: (id: string) => BrokeredAgent, changes: () => number) {
    this.#agent = agent;
    this.#changes = changes;
  }

  get fills(): number {
    return this.#fills;
  }

  /** States of all proposals, by id. */
  get states(): ReadonlyMap<string, ProposalState> {
    return this.#states;
  }

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  isOpen(proposalId: string): boolean {
    return this.#open.has(proposalId);
  }

  /** Returns the open proposals of an agent, in order of creation. */
  openOf(agentId: string): string[] {
    return [...this.#open].filter(([, owner]) => owner === agentId).map(([id]) => id);
  }

  /** Returns an agent's current book, or null if it is untouched. */
  touched(agentId: string): TradingBook | null {
    if (!this.#active.has(agentId)) return null;
    const agent = this.#agent(agentId);
    const id = this.#bookIdOf(agent);
    const known = this.#books.get(id);
    if (known === undefined && (this.#openByBook.get(id)?.size ?? 0) === 0) return null;
    return this.#withOpen(known ?? untouchedBook(agent));
  }

  /** Returns the organization's exposure in one mode, over all touched books except one. */
  sumsWithout(orgId: string, mode: ExecutionMode, bookId: string): ExactSums {
    for (const id of this.#uncounted) {
      const book = this.#withOpen(this.#books.get(id) as TradingBook);
      this.#sumsOf(this.#agent(this.#owners.get(id) as string).orgId, book.mode).count(book);
    }
    this.#uncounted.clear();
    this.#countUnbooked();
    return this.#sumsOf(orgId, mode).without(bookId);
  }

  /** Counts unbooked proposals on the agents' current books. The count is repeated after any actor change. */
  #countUnbooked(): void {
    const changes = this.#changes();
    if (changes === this.#countedAt) return;
    this.#countedAt = changes;
    for (const [id, { agentId, mode: traded }] of this.#unbooked) {
      const book = this.touched(agentId);
      const sums = this.#sumsOf(this.#agent(agentId).orgId, traded);
      if (book?.id === id) sums.count(book);
      else sums.forget(id);
      if (this.#openByBook.get(id)?.size === 0) this.#unbooked.delete(id);
    }
  }

  /** Stores a proposal's current state. */
  project(row: ProjectedProposal): void {
    this.#states.set(row.id, row.state);
    this.#active.add(row.agentId);
    this.#current.delete(row.order.bookId);
    const { bookId, instrument, side, mode } = row.order;
    const waiting = this.#openByBook.get(bookId) ?? new Map<string, OpenProposal>();
    this.#openByBook.set(bookId, waiting);
    if (isOpenProposal(row.state)) {
      this.#open.set(row.id, row.agentId);
      waiting.set(row.id, { id: row.id, instrument, side, quantity: row.execution.left, notionalUsd: row.notionalUsd });
    } else {
      this.#open.delete(row.id);
      waiting.delete(row.id);
    }
    if (this.#books.has(bookId)) this.#uncounted.add(bookId);
    else {
      this.#unbooked.set(bookId, { agentId: row.agentId, mode });
      this.#countedAt = -1;
    }
  }

  book(agentId: string, proposalId: string, fill: Fill): ReplayedFill {
    const book = applyFill(this.#books.get(fill.bookId) ?? untouchedBook(this.#agent(agentId)), fill);
    this.#active.add(agentId);
    this.#keep(book);
    this.#owners.set(fill.bookId, agentId);
    if (!holdsPerpetual(book)) this.#perpetualFills.delete(book.id);
    else if (isPerpetual(fill.instrument)) {
      const fills = this.#perpetualFills.get(book.id);
      if (fills === undefined) this.#perpetualFills.set(book.id, [fill]);
      else fills.push(fill);
    }
    this.#fills++;
    return { agentId, proposalId, fill, book };
  }

  /** Yields the books that hold perpetuals, with their owners, paid funding and fills of perpetuals. */
  *margined(): Iterable<{
    readonly agent: BrokeredAgent;
    readonly book: TradingBook;
    readonly funding: readonly FundingPayment[];
    readonly fills: readonly PerpetualFill[];
  }> {
    for (const book of this.#books.values()) {
      if (!holdsPerpetual(book)) continue;
      const agent = this.#agent(this.#owners.get(book.id) as string);
      yield { agent, book, funding: this.#funding.get(book.id) ?? [], fills: this.#perpetualFills.get(book.id) ?? [] };
    }
  }

  /** True if any book holds a perpetual. */
  get holdsPerpetuals(): boolean {
    return [...this.#books.values()].some(holdsPerpetual);
  }

  /** Pays an hour's funding for every held perpetual. Returns the number with terms, and the number without, which pay nothing. */
  payFunding(
    hour: EpochMs,
    termsOf: (instrument: InstrumentKey) => HourlyTerms | null,
  ): { readonly paid: number; readonly unknown: number } {
    let [paid, unknown] = [0, 0];
    for (const book of this.#books.values()) {
      let after = book;
      for (const { instrument, quantity } of book.holdings) {
        if (!isPerpetual(instrument)) continue;
        const terms = termsOf(instrument);
        if (terms === null) unknown++;
        else {
          const paidUsd = computeFundingUsd(quantity, terms.price, terms.hourlyRate);
          after = applyFunding(after, paidUsd);
          this.#funding.set(book.id, [...(this.#funding.get(book.id) ?? []), { instrument, hour, paidUsd }]);
          paid++;
        }
      }
      if (after !== book) this.#keep(after);
    }
    return { paid, unknown };
  }

  /** Changes the holdings of a token to units of a new multiplier. */
  rescale(change: MultiplierChange): void {
    for (const book of this.#books.values()) {
      const after = rescaledBook(book, change);
      if (after !== book) this.#keep(after);
    }
  }

  /** Begins the day of a touched book. */
  beginDay({ bookId, day, dayStartEquityUsd }: BookDay): void {
    const book = this.#books.get(bookId);
    if (book !== undefined) this.#keep({ ...book, day, dayStartEquityUsd });
  }

  #keep(book: TradingBook): void {
    this.#books.set(book.id, book);
    this.#current.delete(book.id);
    this.#unbooked.delete(book.id);
    this.#uncounted.add(book.id);
  }

  #bookIdOf(agent: BrokeredAgent): string {
    let id = this.#bookIds.get(agent);
    if (id === undefined) {
      id = toBookId(agent);
      this.#bookIds.set(agent, id);
    }
    return id;
  }

  #sumsOf(orgId: string, mode: ExecutionMode): RunningSums {
    const name = `${orgId} ${mode}`;
    const sums = this.#sums.get(name) ?? new RunningSums();
    this.#sums.set(name, sums);
    return sums;
  }

  #withOpen(book: TradingBook): TradingBook {
    const known = this.#current.get(book.id);
    if (known !== undefined) return known;
    const waiting = this.#openByBook.get(book.id);
    const current = waiting === undefined || waiting.size === 0 ? book : { ...book, openProposals: [...waiting.values()] };
    this.#current.set(book.id, current);
    return current;
  }
}

function holdsPerpetual({ holdings }: TradingBook): boolean {
  return holdings.some(({ instrument }) => isPerpetual(instrument));
}
