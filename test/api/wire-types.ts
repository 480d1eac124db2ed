/** Converts the API's and the feed's documents to TypeScript, for the client and the terminal: a type per schema, and every operation. */

interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

const NOTHING = 'Record<string, never>';
const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  object: '{ readonly [name: string]: unknown }',
  array: 'ReadonlyArray<unknown>',
};

type Content = Readonly<Record<string, { readonly schema: Schema }>>;
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** @returns The text of a module of types and of the table of operations. @throws Error if a schema has a kind without a type here. */
export function wireTypes(document: ApiDocument): string {
  const types = Object.entries(document.components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')};\n`);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const described = operations.map(
    ({ operation }) => `  /** ${operation.summary}. */\n  readonly ${operation.operationId}: ${operationType(operation)};\n`,
  );
  const called = operations.map(
    ({ method, path, operation }) => `  ${operation.operationId}: '${[method, path, ...flagsOf(operation)].join(' ')}',\n`,
  );
  return [
    '/** The bodies and the operations of the API as /v1/openapi.json describes them. Written by test/api/surfaces.test.ts; not edited by hand. */\n',
    ...types,
    `/** Parameters, body and answer of every operation, by its operationId. */\nexport interface Operations {\n${described.join('')}}\n`,
    `/** Method, path template and flags of every operation. */\nexport const OPERATIONS = {\n${called.join('')}} as const;\n`,
  ].join('\n');
}

const ownParameters = ({ parameters }: Operation): readonly Parameter[] => parameters.filter(({ $ref }) => $ref === undefined);

/** Returns statuses of 400 and above whose JSON is an answer and not a problem. */
const answeredRefusals = ({ responses }: Operation): readonly string[] =>
  Object.keys(responses).filter((status) => Number(status) >= 400 && responses[status]?.content?.['application/json'] !== undefined);

/** Returns what the client needs of an operation besides its address. */
function flagsOf(operation: Operation): readonly string[] {
  const { parameters, responses } = operation;
  const media = mediaOf(operation);
  return [
    ...(parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey') ? ['idempotent'] : []),
    ...(isList(operation) ? ['list'] : []),
    ...(media.includes('text/event-stream') ? ['stream'] : media.some((type) => type.startsWith('text/')) ? ['text'] : []),
    ...(responses['101'] === undefined ? [] : ['socket']),
    ...answeredRefusals(operation),
  ];
}

/** True for an operation that takes the cursor of a page. */
const isList = (operation: Operation): boolean => ownParameters(operation).some(({ name }) => name === 'cursor');

const succeeded = ({ responses }: Operation) => Object.entries(responses).filter(([status]) => Number(status) < 300);

const mediaOf = (operation: Operation): readonly string[] => succeeded(operation).flatMap(([, { content = {} }]) => Object.keys(content));

function operationType(operation: Operation): string {
  return `{\n    readonly input: ${inputType(operation)};\n    readonly answer: ${answerType(operation)};\n  }`;
}

/** Returns the type of an input: path and query parameters, and the body. */
function inputType(operation: Operation): string {
  const fields = ownParameters(operation).map(
    ({ name, description, required, schema }) =>
      `${description === undefined ? '' : `      /** ${description} */\n`}      readonly ${keyOf(name)}${required ? ': ' : '?: undefined | '}${typeOf(schema, '      ')};\n`,
  );
  if (operation.requestBody !== undefined) {
    const { required, content } = operation.requestBody;
    const body = typeOf(content['application/json']?.schema ?? {}, '      ');
    const yaml = content['application/yaml'] === undefined ? '' : ' | string';
    fields.push(`      readonly body${required ? ': ' : '?: undefined | '}${body}${yaml};\n`);
  }
  return fields.length === 0 ? NOTHING : `{\n${fields.join('')}    }`;
}

function answerType(operation: Operation): string {
  const { responses } = operation;
  if (responses['101'] !== undefined) return 'never';
  if (mediaOf(operation).includes('text/event-stream')) return 'ReadableStream<Uint8Array>';
  const contents = [
    ...succeeded(operation).flatMap(([, { content = {} }]) => Object.values(content)),
    ...answeredRefusals(operation).flatMap((status) => responses[status]?.content?.['application/json'] ?? []),
  ];
  return [...new Set(contents.map(({ schema }) => typeOf(schema, '    ')))].join(' | ') || 'undefined';
}

/** Parts of the feed's AsyncAPI document. */
interface FeedDocument {
  readonly operations: Readonly<Record<string, { readonly messages: readonly { readonly $ref: string }[] }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly messages: Readonly<Record<string, { readonly payload: Schema }>>;
  };
}

/**
 * Converts the feed's messages: a type per message, a union per operation, and the referenced schemas.
 * @param bodies Schemas of the API document: shared ones are imported from the module of the API's types.
 * @returns The text of a module of types. @throws Error if both documents use one name for different schemas.
 */
export function feedTypes({ operations, components }: FeedDocument, bodies: Readonly<Record<string, Schema>>): string {
  const isShared = ([name, schema]: readonly [string, Schema]): boolean => {
    if (bodies[name] === undefined) return false;
    if (JSON.stringify(bodies[name]) !== JSON.stringify(schema)) throw new Error(`the feed's ${name} is not the API's ${name}`);
    return true;
  };
  const schemas = Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  const own = schemas.filter((one) => !isShared(one)).map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')};\n`);
  const messages = Object.entries(components.messages).map(
    ([name, { payload }]) => `export type ${messageType(name)} = ${typeOf(payload, '')};\n`,
  );
  const carried = Object.entries(operations).map(([name, { messages: sent }]) => {
    const lines = sent.map(({ $ref }) => `\n  | ${messageType($ref.slice($ref.lastIndexOf('/') + 1))}`);
    return `/** Every message of the operation \`${name}\`. */\nexport type ${messageType(name)} =${lines.join('')};\n`;
  });
  // Schemas referenced only by a shared one are not declared here.
  const ownSchemas = [...schemas.filter((one) => !isShared(one)), ...Object.entries(components.messages)];
  const refers = new Set([...JSON.stringify(ownSchemas).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
  const named = schemas.filter((one) => isShared(one) && refers.has(one[0])).map(([name]) => `\n  ${name},`);
  const imported = named.length === 0 ? '' : `import type {${named.join('')}\n} from './api.ts';\n\n`;
  const about =
    '/** The messages of the feed as /v1/asyncapi.json describes them. Written by test/api/surfaces.test.ts; not edited by hand. */';
  return `${about}\n\n${imported}${[...carried, ...own, ...messages].join('\n')}`;
}

/** Returns the type name of a message: `agents_update` is `AgentsUpdateMessage`. */
function messageType(name: string): string {
  return `${name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Message`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return [...new Set(schema.enum.map(literal))].join(' | ');
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return [...new Set(branches.map((branch) => typeOf(branch, indent)))].join(' | ');
  if (schema.type === undefined) return 'unknown';
  if (typeof schema.type !== 'string') return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  if (schema.type === 'array' && schema.items !== undefined) return `ReadonlyArray<${typeOf(schema.items, indent)}>`;
  if (schema.type === 'object') return objectOf(schema, indent);
  const plain = PLAIN[schema.type];
  if (plain === undefined) throw new Error(`a schema is of the unknown type ${schema.type}`);
  return plain;
}

function objectOf({ properties, required = [], additionalProperties, patternProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const lines = Object.entries(properties).map(([name, schema]) => {
      return `${inner}readonly ${keyOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};\n`;
    });
    const others = additionalProperties === true ? `${inner}readonly [name: string]: unknown;\n` : '';
    return `{\n${lines.join('')}${others}${indent}}`;
  }
  if (additionalProperties === false && patternProperties === undefined) return NOTHING;
  const values = typeof additionalProperties === 'object' ? [additionalProperties] : Object.values(patternProperties ?? {});
  return values.length === 0
    ? (PLAIN['object'] as string)
    : `{ readonly [name: string]: ${values.map((one) => typeOf(one, inner)).join(' | ')} }`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);
}
