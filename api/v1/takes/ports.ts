/** Ports of the Take routes: store and actors. Boot supplies them. */
import type { PublishedTake, TakeCommands, TakeView } from '../../../actors/take/commands.ts';
import type { TakeOrigin, TakeState } from '../../../src/domain/take/take.ts';
import type { Page, PageOf } from '../../page.ts';
import type { ActorStep } from '../actors/ports.ts';
import type { DecisionReads, ChartState } from '../agents/ports.ts';

export interface TakeFilter {
  readonly origin: TakeOrigin | null;
  readonly state: TakeState | null;
}

/** Reads about Takes. Every one takes the organization; a foreign Take answers null, exactly as a missing one. */
export interface TakeReads {
  /** Newest first. */
  list(orgId: string, filter: TakeFilter, page: Page): Promise<PageOf<TakeView>>;
  find(orgId: string, takeId: string): Promise<TakeView | null>;
  /** Published Takes of every organization, newest first. */
  listPublished(orgId: string, page: Page): Promise<PageOf<PublishedTake>>;
  history(orgId: string, takeId: string, page: Page): Promise<PageOf<ActorStep> | null>;
  chartState(orgId: string, takeId: string): Promise<ChartState | null>;
}

export interface TakePorts {
  readonly reads: TakeReads;
  readonly commands: TakeCommands;
  readonly decisions: Pick<DecisionReads, 'list' | 'get'>;
}
