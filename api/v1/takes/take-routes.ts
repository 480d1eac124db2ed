/** Takes. */
import type { TakeCommands } from '../../../actors/take/command-handler.ts';
import type { DecisionStore } from '../../../src/adapters/store/agents/decision-reads.ts';
import type { TakeReads } from '../../../src/adapters/store/takes/take-reads.ts';
import { type RouteGroup } from '../../route.ts';
import { armTake } from './arm.ts';
import { getTakeChart } from './chart.ts';
import { closeTake } from './close.ts';
import { compileTake } from './compile.ts';
import { listTakeDecisions } from './decisions.ts';
import { disarmTake } from './disarm.ts';
import { explainTakeDecision } from './explain-decision.ts';
import { forkTakeRoute } from './fork.ts';
import { getTake } from './get.ts';
import { listTakeHistory } from './history.ts';
import { listTakes } from './list.ts';
import { publishTake } from './publish.ts';
import { listPublishedTakes } from './published.ts';
import { tokenizeTake } from './tokenize.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly takes: {
      readonly reads: Pick<TakeReads, 'list' | 'find' | 'listPublished' | 'history' | 'chartState'>;
      readonly commands: TakeCommands;
      readonly decisions: Pick<DecisionStore, 'list' | 'get'>;
    };
  }
}

export const takeRoutes: RouteGroup = {
  tag: {
    name: 'takes',
    position: 200,
    description:
      'One-off trading policies written as a sentence. Compile a thesis, check how each phrase was read, confirm what is open, and arm it on paper or live. An ambiguous thesis is refused with questions (`thesis_ambiguous`).',
  },
  routes: [
    compileTake,
    forkTakeRoute,
    armTake,
    tokenizeTake,
    publishTake,
    disarmTake,
    closeTake,
    listTakes,
    listPublishedTakes,
    getTake,
    listTakeDecisions,
    explainTakeDecision,
    listTakeHistory,
    getTakeChart,
  ],
};
