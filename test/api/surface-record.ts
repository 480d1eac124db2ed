/** Compact record of the API document without texts and examples. A difference is a change of the API. */

interface Schema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
interface Referred {
  readonly $ref?: string;
}
interface Parameter extends Referred {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}
interface Answer extends Referred {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}
interface Operation {
  readonly operationId: string;
  readonly 'x-permission': string;
  readonly 'x-cost': string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** Keywords that do not affect validity. */
const TEXTS: ReadonlySet<string> = new Set(['description', 'examples', 'title', 'x-as-stored']);
/** Keywords already shown by a type's form. */
const SHAPES: ReadonlySet<string> = new Set([
  '$ref',
  'anyOf',
  'oneOf',
  'enum',
  'const',
  'type',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
]);

/** @returns A paragraph per operation and a line per named schema. */
export function surfaceRecord({ paths, components }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationLines(`${method.toUpperCase()} ${path}`, operation)),
  );
  const named = [
    ...Object.entries(components.parameters).map(([name, one]) => `${name} ${one.in} ${one.name} ${typeOf(one.schema)}\n`),
    ...Object.entries(components.schemas).map(([name, schema]) => `${name} ${typeOf(schema)}\n`),
  ];
  return `${[...operations, ...named.sort()].join('')}`;
}

function operationLines(route: string, operation: Operation): string {
  const { operationId, parameters, requestBody, responses } = operation;
  const succeeded = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined);
  const refused = Object.values(responses).flatMap(({ $ref }) => ($ref === undefined ? [] : [nameIn($ref)]));
  const lines = [
    `${route} ${operationId} ${operation['x-permission']} ${operation['x-cost']}`,
    ...parameters.map((one) =>
      one.$ref === undefined ? `${one.in} ${field(one.name, one.required)}: ${typeOf(one.schema)}` : nameIn(one.$ref),
    ),
    ...contents(requestBody?.content).map((text) => `${field('body', requestBody?.required === true)}: ${text}`),
    ...succeeded.flatMap(([status, { headers = {}, content }]) => {
      const told = [status, ...Object.keys(headers)].join(' ');
      return content === undefined ? [told] : contents(content).map((text) => `${told} ${text}`);
    }),
    `refuses ${refused.join(' ')}`,
  ];
  return lines.map((line, index) => `${index === 0 ? '' : '  '}${line}\n`).join('');
}

const contents = (content: Content = {}): readonly string[] =>
  Object.entries(content).map(([media, { schema }]) => `${media} ${typeOf(schema)}`);
const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
const field = (name: string, isRequired: boolean): string => `${name}${isRequired ? '' : '?'}`;

function typeOf(schema: Schema): string {
  const limits = Object.entries(schema)
    .filter(([keyword]) => !TEXTS.has(keyword) && !SHAPES.has(keyword))
    .map(([keyword, value]) => `${keyword}=${JSON.stringify(value)}`);
  return [shapeOf(schema), ...limits].join(' ');
}

function shapeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join('|');
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return `(${branches.map(typeOf).join(' | ')})`;
  const types = [schema.type ?? 'any'].flat();
  return types
    .map((type) => (type === 'array' && schema.items ? `[${typeOf(schema.items)}]` : type === 'object' ? objectOf(schema) : type))
    .join('|');
}

function objectOf({ properties = {}, required = [], additionalProperties = true, patternProperties = {} }: Schema): string {
  const others = additionalProperties === true ? ['…'] : additionalProperties === false ? [] : [`…: ${typeOf(additionalProperties)}`];
  const fields = [
    ...Object.entries(properties).map(([name, schema]) => `${field(name, required.includes(name))}: ${typeOf(schema)}`),
    ...Object.entries(patternProperties).map(([pattern, schema]) => `/${pattern}/: ${typeOf(schema)}`),
    ...others,
  ];
  return `{${fields.join(', ')}}`;
}
