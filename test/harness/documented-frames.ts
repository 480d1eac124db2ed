/** Whether the frames of the feed are those that the AsyncAPI document describes. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { asyncApiDocument } from '../../api/asyncapi.ts';

const { components } = asyncApiDocument('0.0.0') as { components: { messages: Record<string, { payload: object }> } };
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const checks = new Map<string, ValidateFunction>();

/** What is not as the document says in a frame: nothing, or one sentence. */
export function undocumented(frame: { readonly type?: string; readonly channel?: string }): readonly string[] {
  const { type = '', channel } = frame;
  const name = channel === undefined || !['snapshot', 'update', 'lagged'].includes(type) ? type : `${channel}_${type}`;
  const message = components.messages[name];
  if (message === undefined) return [`there is no message ${name}`];
  let check = checks.get(name);
  if (check === undefined) {
    check = ajv.compile(message.payload);
    checks.set(name, check);
  }
  return check(frame) ? [] : [`${name}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(frame).slice(0, 300)}`];
}
