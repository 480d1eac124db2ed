/** The `inspect` channel: the committed steps of state charts, as the visualisers show them. */
import { announcementChannel } from './channel.ts';

export const inspectChannel = announcementChannel({
  name: 'inspect',
  about: 'The committed steps of state charts: event, from, to.',
  actorParam: 'actorId',
});
