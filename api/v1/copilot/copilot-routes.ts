/** The copilot. */
import { entry, type RouteGroup } from '../../route.ts';
import { chatWithCopilot } from './chat.ts';

export const copilotRoutes: RouteGroup = {
  tag: {
    name: 'copilot',
    position: 260,
    description:
      'Answers questions from the data of the service and drafts Takes and policies. It never arms anything: drafts take effect only by your own call, which the answer names.',
  },
  routes: [entry(chatWithCopilot, 'market:read')],
};
