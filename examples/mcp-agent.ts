/**
 * Agent over the Model Context Protocol. A script takes the place of your model. Arguments: agent id, token file, command of the server.
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [id = '', tokenFile = '', command = 'npx', ...words] = process.argv.slice(2);
const args = [...(words.length > 0 ? words : ['sevengate']), 'mcp', '--token-file', tokenFile];
const client = new Client({ name: 'example', version: '1' });
await client.connect(new StdioClientTransport({ command, args, env: process.env as Record<string, string> }));

/** Calls a tool. The first text names the source of the answer, the second is the answer. */
async function call(name: string, given: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const [, answer] = content as { text: string }[];
  return { isError: isError === true, answer: JSON.parse(answer?.text ?? 'null') };
}

const { tools } = await client.listTools();
console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`);
const { answer: context } = await call('getOutsideContext', { id });
const trade = { id, side: 'buy', instrument: context.universe[0], reason: 'the model is confident', manifestHash: context.manifestHash };
const greedy = await call('proposeTrade', { ...trade, notionalUsd: '1000000', clientId: 'greedy' });
console.log(`1,000,000 USD: ${greedy.answer.code}: ${greedy.answer.detail}`);
// The refusal states what would pass.
const modest = await call('proposeTrade', { ...trade, notionalUsd: context.limits.maxTradeNotionalUsd, clientId: 'modest' });
console.log(modest.isError ? modest.answer.detail : `proposed for the slot ${modest.answer.slot}`);
await client.close();
