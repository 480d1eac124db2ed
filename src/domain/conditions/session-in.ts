/** session_in: the US equity session is one of a list. */

import type { ManifestCondition } from '../manifest/manifest.ts';
import { SESSIONS } from '../market/quote.ts';
import { isSessionKnown } from '../market/session.ts';
import { type ConditionDefinition, NO_NEEDS, type Observed } from './condition.ts';

const readSessions = (condition: ManifestCondition): readonly string[] => condition['sessions'] as readonly string[];

export const SESSION_IN: ConditionDefinition = {
  type: 'session_in',
  description: 'The US equity session at the tick is one of these.',
  sides: ['entry', 'exit'],
  kinds: null,
  inputs: ['calendar'],
  fields: {
    sessions: { type: 'choices', choices: SESSIONS, description: 'Sessions in which the rule passes.' },
    carriedReference: {
      type: 'boolean',
      optional: true,
      description:
        'On the entry side: in these sessions, but never in the regular one, the rules of both sides also read the reference price with which the last regular session ended. Not so where it is missing.',
    },
  },
  needs: NO_NEEDS,
  compile: (condition) => {
    const sessions = readSessions(condition);
    return {
      // Outside the known calendar a closed exchange and an unknown one look alike, so the session is unknown.
      observe: (observation) => (isSessionKnown(observation.slot) ? observation.session : null),
      passes: (observed: Observed) => sessions.includes(observed as string),
      observeUngated: null,
      usesReference: false,
    };
  },
  threshold: (condition) => readSessions(condition).join('|'),
};
