// Servers that speak only the version of the protocol that has no handshake and no sessions (2026-07-28). Agents begin
// with the handshake of the versions before it, which is answered here in the server's place, and each of their requests
// then says by itself which version it is in and who sends it.
import { defined } from '../../base/defined.ts';
import { type Fields, isFields, objectsOf } from '../../base/fields.ts';

const STATELESS_VERSION = '2026-07-28';
/** The request by which such a server says what it is. */
export const DISCOVER = 'server/discover';
const PREFIX = 'io.modelcontextprotocol/';
const VERSION_KEY = `${PREFIX}protocolVersion`;

/** The depth of properties in which a tool's schema is searched for arguments that are also sent as headers. */
const MAXIMUM_DEPTH = 10;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const PLAIN_HEADER = /^(?! )[\x20-\x7e]*(?<! )$/;

const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});

/** Returns an agent's request as such a server wants it. `initialize` is the request that the agent has begun with. */
export function withSender(request: Fields, initialize: Fields): Fields {
	const params = fieldsIn(request['params']);
	const sender = {
		[VERSION_KEY]: STATELESS_VERSION,
		[`${PREFIX}clientInfo`]: fieldsIn(initialize['params'])['clientInfo'],
		[`${PREFIX}clientCapabilities`]: {},
	};
	return { ...request, params: { ...params, _meta: { ...fieldsIn(params['_meta']), ...sender } } };
}

/**
 * Returns the result of the agent's handshake, made of a server's answer to `server/discover`; undefined if the server
 * does not speak the version.
 */
export function handshakeResult(discovered: Fields, initialize: Fields): Fields | undefined {
	const { supportedVersions, capabilities, instructions, _meta } = fieldsIn(discovered['result']);
	if (!Array.isArray(supportedVersions) || !supportedVersions.includes(STATELESS_VERSION)) {
		return undefined;
	}
	return {
		protocolVersion: fieldsIn(initialize['params'])['protocolVersion'],
		// Nobody listens for changes of its list, which such a server tells only those who ask for them.
		capabilities: fieldsIn(capabilities)['tools'] === undefined ? {} : { tools: {} },
		serverInfo: fieldsIn(_meta)[`${PREFIX}serverInfo`] ?? { name: 'unknown', version: '0' },
		...defined({ instructions }),
	};
}

/** Returns whether a result is one that waits for an answer of the agent's model or the user. */
export const wantsInput = (result: unknown): boolean => (fieldsIn(result)['resultType'] ?? 'complete') !== 'complete';

/** Returns a tool without a schema of its results that the versions before cannot express. */
export function toolBefore<Tool extends Fields>(tool: Tool): Fields {
	const { outputSchema, ...rest } = tool;
	return fieldsIn(outputSchema)['type'] === 'object' ? tool : rest;
}

/** Returns the result of a call without a value that the versions before cannot express. Its content says the same. */
export function resultBefore(result: Fields): Fields {
	const { structuredContent, ...rest } = result;
	return isFields(structuredContent) ? result : rest;
}

/** An argument of a tool that is also sent as a header, by the names that lead to it. */
export interface HeaderArgument {
	header: string;
	path: readonly string[];
}

/** Returns the arguments that a server wants as headers, by the names of its tools. */
export function headerArgumentsOf(result: unknown): ReadonlyMap<unknown, HeaderArgument[]> {
	const tools = objectsOf(fieldsIn(result)['tools']);
	return new Map(tools.map(({ name, inputSchema }) => [name, headersIn(fieldsIn(inputSchema), [])]));
}

function headersIn(schema: Fields, path: readonly string[]): HeaderArgument[] {
	if (path.length > MAXIMUM_DEPTH) {
		return [];
	}
	return Object.entries(fieldsIn(schema['properties'])).flatMap(([name, value]) => {
		const property = fieldsIn(value);
		const header = property['x-mcp-header'];
		const own = { header: `mcp-param-${header}`, path: [...path, name] };
		const isHeader = typeof header === 'string' && HEADER_NAME.test(header);
		return [...(isHeader ? [own] : []), ...headersIn(property, own.path)];
	});
}

/** Returns the headers that repeat what such a request says; none for a request in another version. */
export function headersOfRequest(
	{ method, params }: Fields,
	headerArguments: ReadonlyMap<unknown, HeaderArgument[]>,
): Record<string, string> {
	const { name, arguments: given, _meta } = fieldsIn(params);
	const version = fieldsIn(_meta)[VERSION_KEY];
	if (typeof version !== 'string' || typeof method !== 'string') {
		return {};
	}
	const repeated = (headerArguments.get(name) ?? []).flatMap(({ header, path }) => {
		const value = path.reduce<unknown>((within, step) => fieldsIn(within)[step], given);
		return ['string', 'number', 'boolean'].includes(typeof value) ? [[header, headerValue(String(value))]] : [];
	});
	return {
		'mcp-protocol-version': version,
		'mcp-method': method,
		...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
		...Object.fromEntries(repeated),
	};
}

/** A value that cannot stand in a header as it is, or that looks like an encoded one, is encoded. */
const headerValue = (value: string): string =>
	PLAIN_HEADER.test(value) && !value.startsWith('=?base64?')
		? value
		: `=?base64?${Buffer.from(value).toString('base64')}?=`;
