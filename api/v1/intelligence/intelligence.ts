/** Events, posts, macro series and chains: the group of their routes. */
import type { IntelligenceReads } from '../../../src/adapters/store/intelligence/intelligence-reads.ts';
import type { RouteGroup } from '../../route.ts';
import { listChains } from './chains.ts';
import { listEvents, listSocialFeed } from './events.ts';
import { getMacro, getMacroRegime } from './macro.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly intelligence: IntelligenceReads;
  }
}

export const intelligenceRoutes: RouteGroup = {
  tag: {
    name: 'intelligence',
    position: 50,
    description:
      'Market events, social posts, macro series and the value locked on chains, with their sources. An event is `confirmed` by a primary source or two independent ones; posts never confirm anything. A source that is down makes a value null, not zero.',
  },
  routes: [getMacro, listEvents, listChains, getMacroRegime, listSocialFeed],
};
