/** Conversations with the copilot, answered as JSON or as server-sent events with progress. */
import { PassThrough } from 'node:stream';
import { Type } from 'typebox';
import type { MessageRewording } from '../../../src/adapters/language-model/model-ports.ts';
import type { Conversations } from '../../../src/adapters/store/copilot/conversation-store.ts';
import type { CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import { checkRewording, isReading } from '../../../src/domain/copilot/check-rewording.ts';
import { type Classified, classify, INTENTS } from '../../../src/domain/copilot/classify.ts';
import { requireMember } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { type ApiPorts, defineRoute, type RouteGroup } from '../../route.ts';
import { AnyJson, choice, HashText, IdText, objectSchema } from '../../shapes.ts';
import { answerMessage, type CopilotAnswer, type CopilotCaller } from './copilot-answers.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly copilot: {
      readonly conversations: Conversations;
      /** Absent if no language model is configured. */
      readonly rewording?: MessageRewording;
    };
  }
}

const MAX_MESSAGE = 2_000;

const DraftBody = Type.Unsafe<CopilotAnswer['draft']>({
  anyOf: [
    Type.Object(
      {
        kind: choice(['take', 'policy']),
        hash: HashText,
        body: AnyJson,
        understood: Type.Array(Type.Object({ phrase: Type.String(), as: Type.String() })),
        assumed: Type.Array(Type.String()),
        next: Type.Object(
          { method: Type.String(), path: Type.String(), body: AnyJson },
          { description: "The operator's own call that keeps or arms it." },
        ),
      },
      { description: 'For review: nothing of it is kept or armed.' },
    ),
    { type: 'null' },
  ],
});

const ChatBody = Type.Object(
  {
    conversationId: IdText,
    intent: choice(INTENTS),
    reply: Type.String(),
    data: Type.Unsafe<unknown>({ ...AnyJson, description: 'Data behind the reply, or null if there is none.' }),
    links: Type.Array(Type.String(), { description: 'Routes that give the same data in full.' }),
    draft: DraftBody,
  },
  { $id: 'CopilotReply' },
);

interface Asked {
  readonly caller: CopilotCaller & { readonly subject: string };
  readonly conversationId: string;
  readonly message: string;
  /** Symbol of the conversation so far, or null. */
  readonly before: string | null;
}

/** Classifies a message. If no pattern matches and a language model is configured, classifies the model's rewording. */
async function read(
  ports: ApiPorts,
  message: string,
  entry: CatalogEntry | null,
  progress: (step: string) => void,
): Promise<{ readonly classified: Classified; readonly note: string }> {
  const catalog = ports.catalog.entries;
  const classified = classify(message, catalog, entry);
  const { rewording } = ports.copilot;
  if (classified.intent !== 'out_of_scope' || rewording === undefined) return { classified, note: '' };
  progress('asking the language model for a rewording');
  const asked = await rewording.reword(message);
  if (!asked.ok) return { classified, note: ` The language model gave no rewording: ${asked.why}.` };
  const checked = checkRewording(message, asked.answer);
  if (!checked.ok) return { classified, note: ` The rewording of the language model was refused: ${checked.why}.` };
  const again = classify(checked.message, catalog, entry);
  return isReading(again)
    ? { classified: again, note: ` (Read by the language model as "${checked.message}".)` }
    : { classified, note: ' The rewording of the language model asks for nothing that can be shown.' };
}

/** Answers and stores the exchange. */
async function exchange(ports: ApiPorts, asked: Asked, progress: (step: string) => void) {
  const { caller, conversationId, message, before } = asked;
  const entry = before === null ? null : (ports.catalog.entries.bySymbol(before) ?? null);
  const { classified, note } = await read(ports, message, entry, progress);
  const { symbol, ...made } = await answerMessage(ports, caller, classified, message, progress);
  const answer = { ...made, reply: `${made.reply}${note}` };
  const { intent, reply } = answer;
  await ports.copilot.conversations.add(caller.orgId, caller.subject, conversationId, {
    at: ports.clock.now(),
    message,
    intent,
    reply,
    symbol: symbol ?? before,
  });
  return { conversationId, ...answer };
}

/** Returns the answer with its progress as server-sent events: `progress`, then one `answer` or `error`. */
function streamed(ports: ApiPorts, asked: Asked): PassThrough {
  const stream = new PassThrough();
  const send = (event: string, data: unknown): void => {
    stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  send('progress', { step: 'reading the message' });
  exchange(ports, asked, (step) => send('progress', { step }))
    .then(
      (answer) => send('answer', answer),
      () => send('error', { code: 'unavailable', detail: 'the copilot could not answer; ask again' }),
    )
    .finally(() => stream.end());
  return stream;
}

const chatWithCopilot = defineRoute({
  method: 'POST',
  url: '/v1/copilot/chat',
  name: 'chatWithCopilot',
  tag: 'copilot',
  summary: 'Answers questions from the service’s own data, and drafts Takes and policies for review',
  description:
    'Deterministic: fixed patterns decide what a message asks for. Where a language model is configured it may reword a message that no pattern reads, which the reply says; it never drafts. Texts of messages, news and names are data and are never carried out; only the operator’s own call arms a draft. With `Accept: text/event-stream` the answer comes with its progress.',
  permission: 'market:read',
  cost: 'costly',
  schema: {
    body: objectSchema({
      message: Type.String({ minLength: 1, maxLength: MAX_MESSAGE, pattern: '\\S' }),
      conversationId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Conversation to continue, from an earlier answer. Without it a new one begins.',
        }),
      ),
    }),
  },
  answers: { 200: { description: 'The answer.', schema: ChatBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { orgId, subject, permissions } = requireMember(request);
    const { message, conversationId } = request.body;
    const id = conversationId === undefined ? null : idInPath({ id: conversationId });
    const known = conversationId === undefined ? [] : id === null ? null : await ports.copilot.conversations.find(orgId, subject, id);
    if (known === null) return sendProblem(reply, 'not_found', 'there is no conversation with this id');
    const asked = {
      caller: { orgId, subject, permissions },
      conversationId: id ?? ports.copilot.conversations.newId(orgId),
      message,
      before: known.at(-1)?.symbol ?? null,
    };
    if ((request.headers.accept ?? '').includes('text/event-stream')) {
      return reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(streamed(ports, asked));
    }
    return exchange(ports, asked, () => {});
  },
});

export const copilotRoutes: RouteGroup = {
  tag: {
    name: 'copilot',
    position: 260,
    description:
      'Answers questions from the data of the service and drafts Takes and policies. It never arms anything: drafts take effect only by your own call, which the answer names.',
  },
  routes: [chatWithCopilot],
};
