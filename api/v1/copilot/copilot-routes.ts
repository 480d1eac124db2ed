/** The copilot. */
import type { MessageRewording } from '../../../src/adapters/language-model/model-ports.ts';
import type { Conversations } from '../../../src/adapters/store/copilot/conversation-store.ts';
import { type RouteGroup } from '../../route.ts';
import { chatWithCopilot } from './chat.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly copilot: {
      readonly conversations: Conversations;
      /** Absent if no language model is configured. */
      readonly rewording?: MessageRewording;
    };
  }
}

export const copilotRoutes: RouteGroup = {
  tag: {
    name: 'copilot',
    position: 260,
    description:
      'Answers questions from the data of the service and drafts Takes and policies. It never arms anything: drafts take effect only by your own call, which the answer names.',
  },
  routes: [chatWithCopilot],
};
