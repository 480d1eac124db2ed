/** The books of a replay and the proposals that are open on them, folded from what the steps wrote: as live, without a database. */
import { bookIdOf, untouchedBook } from '../../actors/agent/tick-risk.ts';
import type { ShownExecution } from '../../actors/proposal/parts.ts';
import type { TradingDuty } from '../../actors/ticking/trading-decisions.ts';
import { applyFill, type Fill, type OpenProposal, type TradingBook } from '../domain/book.ts';
import type { DecimalString } from '../domain/decimal.ts';
import { isOpenProposal, type ProposalState } from '../domain/execution.ts';
import type { Order } from '../domain/order.ts';
import type { BookDay } from '../domain/tick-inputs.ts';

/** A proposal as its steps project it. */
export interface ProjectedProposal {
  readonly id: string;
  readonly agentId: string;
  readonly state: ProposalState;
  readonly order: Order;
  /** What it reserves. */
  readonly notionalUsd: DecimalString;
  readonly execution: ShownExecution;
}

/** What of an agent decides whether and how it trades. */
export interface BrokeredAgent extends TradingDuty {
  readonly paused: boolean;
}

/** One fill of a replay, and the book that it led to. */
export interface ReplayedFill {
  readonly agentId: string;
  readonly proposalId: string;
  readonly fill: Fill;
  readonly book: TradingBook;
}

export class ReplayBooks {
  readonly #agent: (id: string) => BrokeredAgent;
  readonly #agentIds: () => Iterable<string>;
  readonly #books = new Map<string, TradingBook>();
  /** Whose book it is. */
  readonly #owners = new Map<string, string>();
  /** Whose each open proposal is, in the order of their creation; and what they reserve, by book. */
  readonly #open = new Map<string, string>();
  readonly #openByBook = new Map<string, Map<string, OpenProposal>>();
  readonly #states = new Map<string, ProposalState>();
  #fills = 0;

  constructor(agent: (id: string) => BrokeredAgent, agentIds: () => Iterable<string>) {
    this.#agent = agent;
    this.#agentIds = agentIds;
  }

  /** How many fills were booked. */
  get fills(): number {
    return this.#fills;
  }

  /** The states of all proposals, by their ids. */
  get states(): ReadonlyMap<string, ProposalState> {
    return this.#states;
  }

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  isOpen(proposalId: string): boolean {
    return this.#open.has(proposalId);
  }

  /** The open proposals of an agent, in the order of their creation. */
  openOf(agentId: string): string[] {
    return [...this.#open].filter(([, owner]) => owner === agentId).map(([id]) => id);
  }

  /** The book that an agent trades on now; null where nothing has happened to it. */
  touched(agent: BrokeredAgent): TradingBook | null {
    const id = bookIdOf(agent);
    const book = this.#withOpen(this.#books.get(id) ?? untouchedBook(agent));
    return this.#books.has(id) || book.openProposals.length > 0 ? book : null;
  }

  /** Every book of an organization that something has happened to. */
  ofOrganization(orgId: string): TradingBook[] {
    const found: TradingBook[] = [];
    for (const [id, book] of this.#books) if (this.#agent(this.#owners.get(id) as string).orgId === orgId) found.push(this.#withOpen(book));
    for (const id of this.#agentIds()) {
      const agent = this.#agent(id);
      const book = agent.orgId === orgId && !this.#books.has(bookIdOf(agent)) ? this.touched(agent) : null;
      if (book !== null) found.push(book);
    }
    return found;
  }

  /** Takes in how a proposal stands now. */
  project(row: ProjectedProposal): void {
    this.#states.set(row.id, row.state);
    const { bookId, instrument, side } = row.order;
    const waiting = this.#openByBook.get(bookId) ?? new Map<string, OpenProposal>();
    this.#openByBook.set(bookId, waiting);
    if (isOpenProposal(row.state)) {
      this.#open.set(row.id, row.agentId);
      waiting.set(row.id, { id: row.id, instrument, side, quantity: row.execution.left, notionalUsd: row.notionalUsd });
    } else {
      this.#open.delete(row.id);
      waiting.delete(row.id);
    }
  }

  /** Books a fill of an agent. */
  book(agentId: string, proposalId: string, fill: Fill): ReplayedFill {
    const book = applyFill(this.#books.get(fill.bookId) ?? untouchedBook(this.#agent(agentId)), fill);
    this.#books.set(fill.bookId, book);
    this.#owners.set(fill.bookId, agentId);
    this.#fills++;
    return { agentId, proposalId, fill, book };
  }

  /** Begins the day of a book that something has happened to. */
  beginDay({ bookId, day, dayStartEquityUsd }: BookDay): void {
    const book = this.#books.get(bookId);
    if (book !== undefined) this.#books.set(bookId, { ...book, day, dayStartEquityUsd });
  }

  /** A book with what is open of it. */
  #withOpen(book: TradingBook): TradingBook {
    const waiting = this.#openByBook.get(book.id);
    return waiting === undefined || waiting.size === 0 ? book : { ...book, openProposals: [...waiting.values()] };
  }
}
