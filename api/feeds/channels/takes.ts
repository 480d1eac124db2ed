/** The `takes` channel: every change of a Take. */
import { announcementChannel } from './channel.ts';

export const takesChannel = announcementChannel({
  name: 'takes',
  about: 'Every change of a Take.',
  actorParam: 'takeId',
});
