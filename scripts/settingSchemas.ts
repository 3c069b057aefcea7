// Writes the JSON schemas of the settings that hold objects into package.json, from the schemas that read them and the
// texts of package.nls.json. A test compares the two. node scripts/settingSchemas.ts
import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { chatParametersSchema } from '../src/contract/chatRequest.ts';
import { connectionSchema } from '../src/contract/connection.ts';
import { SERVER_NAME, serverSettingSchema } from '../src/contract/mcpServers.ts';
import { routingPolicySchema } from '../src/contract/routingPolicy.ts';
import { OLLAMA_SLUG, UPSTREAM_SLUG, upstreamSettingSchema } from '../src/contract/upstreams.ts';

export const MANIFEST_FILE = 'package.json';
const TEXTS_FILE = 'package.nls.json';

export interface Schema {
	type?: string;
	description?: string;
	properties?: Record<string, Schema>;
	patternProperties?: Record<string, Schema>;
	additionalProperties?: boolean | Schema;
	items?: Schema;
	anyOf?: Schema[];
	enum?: unknown[];
	enumDescriptions?: string[];
	pattern?: string;
	patternErrorMessage?: string;
	minimum?: number;
	exclusiveMinimum?: number;
	default?: unknown;
	defaultSnippets?: { label: string; body: unknown }[];
	[field: string]: unknown;
}

/** A rule that a schema cannot express: an https address, or an http address of this machine, and nothing else. */
const SECURE_ADDRESS =
	'^(https://[^\\s/?#@\\\\]+|http://(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])(:\\d+)?)(/[^\\s?#]*)?$';
/** The same rule for an address that may have a query. */
const SERVER_ADDRESS = SECURE_ADDRESS.replace('[^\\s?#]*', '[^\\s#]*');
const ADDRESS = '^https?://[^@?#]+$';

/** A placeholder in a snippet, by its number and proposal: `:` before a text, `|` around choices. */
const slot = (number: number, proposal: string) => `\${${number}${proposal}}`;

const MODEL = {
	id: slot(1, ':model-id'),
	label: slot(2, ':Model'),
	kinds: [slot(3, '|chat,responses,image,search,encrypted|')],
};

/** The snippets that the editor offers for a new entry, by the path of the list. */
const SNIPPETS: Record<string, { text: string; body: unknown }> = {
	models: { text: 'model', body: MODEL },
	providers: { text: 'provider', body: { slug: slot(1, ':provider-slug'), label: slot(2, ':Provider') } },
	providerPrefixes: {
		text: 'providerPrefix',
		body: { prefix: slot(1, ':prefix'), provider: slot(2, ':provider-slug') },
	},
	aliases: { text: 'alias', body: { name: slot(1, ':alias'), model: slot(2, ':model-id') } },
	agents: {
		text: 'agent',
		body: { id: slot(1, ':agent-id'), label: slot(2, ':Agent'), models: [slot(3, ':model-id')] },
	},
};

/** Returns a connection whose placeholders are numbered from `first`. */
const connectionBody = (first: number) => ({
	apiUrl: `https://${slot(first, ':api.example.com')}`,
	cloudUrl: `https://${slot(first + 1, ':cloud.example.com')}`,
	service: slot(first + 2, ':example'),
	models: [{ id: slot(first + 3, ':model-id'), kinds: ['chat'] }],
	agents: [{ id: slot(first + 4, ':agent-id') }],
});

interface Words {
	texts: Record<string, string>;
	/** The prefix of the names of the texts. */
	prefix: string;
	/** The pattern of every field that holds an address. */
	address: string;
}

/** Returns the schemas by the ids of their settings. */
export function settingSchemas(): Record<string, Schema> {
	const texts: Record<string, string> = JSON.parse(readFileSync(TEXTS_FILE, 'utf8'));
	const forConnections = { texts, prefix: 'settings.connections', address: SECURE_ADDRESS };
	const connection = described(jsonSchemaOf(connectionSchema), '', forConnections);
	const { properties = {} } = connection;
	for (const [list, { text, body }] of Object.entries(SNIPPETS)) {
		offer(properties[list]?.items, `${forConnections.prefix}.snippet.${text}`, body);
	}
	// Only the local service knows this.
	delete properties['models']?.items?.properties?.['isLoading'];
	Object.assign(properties['providers']?.items?.properties?.['dataPolicy'] ?? {}, {
		examples: ['zero data retention', 'stores no data', 'stores data'],
	});
	offer(connection, 'settings.connections.snippet.connection', connectionBody(1));

	const forUpstreams = { texts, prefix: 'settings.local.upstreams', address: ADDRESS };
	const upstream = described(jsonSchemaOf(upstreamSettingSchema), '', forUpstreams);
	const forParameters = { texts, prefix: 'settings.chat.parameters', address: ADDRESS };
	const forRouting = { texts, prefix: 'settings.connections.aliases.provider', address: ADDRESS };
	const forServers = { texts, prefix: 'settings.agents.mcpServers', address: SERVER_ADDRESS };
	return {
		'errand.agents.mcpServers': {
			type: 'object',
			default: {},
			scope: 'machine',
			order: 2,
			markdownDescription: '%settings.agents.mcpServers%',
			patternProperties: { [SERVER_NAME.source]: described(jsonSchemaOf(serverSettingSchema), '', forServers) },
			additionalProperties: false,
			defaultSnippets: [
				{
					label: '%settings.agents.mcpServers.snippet%',
					body: { [slot(1, ':name')]: { command: slot(2, ':npx'), args: [slot(3, ':package@version')] } },
				},
				{
					label: '%settings.agents.mcpServers.remoteSnippet%',
					body: { [slot(1, ':name')]: { url: slot(2, ':https://mcp.example.com/mcp') } },
				},
			],
		},
		'errand.chat.parameters': {
			type: 'object',
			default: {},
			scope: 'window',
			order: 3,
			markdownDescription: '%settings.chat.parameters%',
			...described(jsonSchemaOf(chatParametersSchema), '', forParameters),
		},
		'errand.chat.routing': {
			type: 'object',
			default: {},
			scope: 'application',
			order: 4,
			markdownDescription: '%settings.chat.routing%',
			...described(jsonSchemaOf(routingPolicySchema), '', forRouting),
			defaultSnippets: [
				{ label: '%settings.chat.routing.snippet.cheapest%', body: { sort: 'price' } },
				{ label: '%settings.chat.routing.snippet.private%', body: { data_collection: 'deny', zdr: true } },
			],
		},
		'errand.connections': {
			type: 'object',
			default: {},
			scope: 'application',
			order: 2,
			markdownDescription: '%settings.connections%',
			additionalProperties: connection,
			defaultSnippets: [
				{ label: '%settings.connections.snippet.connection%', body: { [slot(1, ':name')]: connectionBody(2) } },
			],
		},
		'errand.local.upstreams': {
			type: 'object',
			default: {},
			scope: 'machine',
			order: 1,
			markdownDescription: '%settings.local.upstreams%',
			properties: {
				[OLLAMA_SLUG]: {
					anyOf: [{ type: 'boolean', enum: [false] }, upstream],
					description: `%settings.local.upstreams.${OLLAMA_SLUG}%`,
				},
			},
			patternProperties: { [UPSTREAM_SLUG.source.replace('^', `^(?!${OLLAMA_SLUG}$)`)]: upstream },
			additionalProperties: false,
			defaultSnippets: [
				{
					label: '%settings.local.upstreams.snippet%',
					body: { [slot(1, ':name')]: { url: slot(2, ':http://127.0.0.1:8080/v1') } },
				},
			],
		},
	};
}

function jsonSchemaOf(schema: z.ZodType): Schema {
	const { $schema, ...written } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
	return written as Schema;
}

/** Returns the schema as the editor needs it: with texts, and without anything useless to an author of settings. */
function described(schema: Schema, path: string, words: Words): Schema {
	const { propertyNames, minimum, exclusiveMinimum, maximum, default: absent, ...kept } = schema;
	const within = (inner: Schema) => described(inner, path, words);
	const { properties, items, anyOf, additionalProperties, enum: values } = schema;
	const result: Schema = {
		...kept,
		...(minimum !== Number.MIN_SAFE_INTEGER && minimum !== undefined && { minimum }),
		...(exclusiveMinimum !== undefined &&
			(kept.type === 'integer' ? { minimum: exclusiveMinimum + 1 } : { exclusiveMinimum })),
		...(maximum !== Number.MAX_SAFE_INTEGER && maximum !== undefined && { maximum }),
		// An absent list is an empty one.
		...(absent !== undefined && !(Array.isArray(absent) && absent.length === 0) && { default: absent }),
		...(properties && {
			properties: Object.fromEntries(
				Object.entries(properties).map(([name, field]) => [name, fieldOf(field, join(path, name), words)]),
			),
			// The parser drops unknown fields; the editor warns about them.
			additionalProperties: false,
		}),
		...(typeof additionalProperties === 'object' && { additionalProperties: within(additionalProperties) }),
		...(items && { items: within(items) }),
		...(anyOf && { anyOf: anyOf.map(within) }),
	};
	const meanings = values?.map(value => textOf(join(path, String(value)), words)) ?? [];
	return meanings.length > 0 && meanings.every(meaning => meaning !== undefined)
		? { ...result, enumDescriptions: meanings }
		: result;
}

function fieldOf(field: Schema, path: string, words: Words): Schema {
	const isAddress = /url$/i.test(path);
	return {
		...described(field, path, words),
		...(isAddress && { pattern: words.address, patternErrorMessage: `%${words.prefix}.urlProblem%` }),
		description: textOf(path, words) ?? `%${words.prefix}.${path}%`,
	};
}

/** Returns the text of a field. Models and their server share the texts of their common fields. */
function textOf(path: string, { texts, prefix }: Words): string | undefined {
	const name = [path, path.replace(/^models\./, '')].find(candidate => texts[`${prefix}.${candidate}`] !== undefined);
	return name === undefined ? undefined : `%${prefix}.${name}%`;
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function offer(schema: Schema | undefined, label: string, body: unknown): void {
	if (schema) {
		schema.defaultSnippets = [{ label: `%${label}%`, body }];
	}
}

/** Returns the text of package.json with these schemas in it. */
export function manifestText(): string {
	const manifest = JSON.parse(readFileSync(MANIFEST_FILE, 'utf8'));
	const schemas = settingSchemas();
	for (const { properties } of manifest.contributes.configuration) {
		for (const id of Object.keys(properties).filter(name => schemas[name] !== undefined)) {
			properties[id] = schemas[id];
		}
	}
	return `${JSON.stringify(manifest, undefined, '\t')}\n`;
}

if (import.meta.main) {
	writeFileSync(MANIFEST_FILE, manifestText());
}
