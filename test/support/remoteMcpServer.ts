import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** A request that the server has got. */
export interface Received {
	method: string;
	path: string;
	headers: IncomingMessage['headers'];
	body: string;
}

/**
 * A real MCP server of the SDK by streamable HTTP on loopback, at `/mcp`. With `tokens`, it asks for a sign-in, and is its
 * own authorization server. A test may put other answers in place of its own.
 */
export class RemoteMcpServer {
	readonly received: Received[] = [];
	readonly sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
	/** Answers that are given instead, by path. */
	readonly others = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
	/** The tokens that are valid, each with its resource; undefined if nobody has to sign in. */
	tokens: Map<string, string> | undefined;
	/** The fields in which its metadata differ. */
	resourceFields: object = {};
	issuerFields: object = {};
	/** Further parameters of what the browser brings back from the page of a sign-in. */
	answerFields: Record<string, string> = {};
	/** The lifetime of a token, in seconds. */
	lifetime = 3600;
	isJson = false;
	/** The only version of the protocol that it speaks; undefined for all that have a handshake. */
	version: '2025-11-25' | '2026-07-28' | undefined;
	private readonly codes = new Map<string, URLSearchParams>();
	private readonly refreshTokens = new Set<string>();
	private readonly server: Server;

	private constructor(server: Server) {
		this.server = server;
	}

	/** A served editor puts its own address in the place of 127.0.0.1 in what it opens, but not of `::1`. */
	static async start(host = '127.0.0.1'): Promise<RemoteMcpServer> {
		const server = createServer();
		const started = new RemoteMcpServer(server);
		server.on('request', (request, response) => void started.answer(request, response));
		server.listen(0, host);
		await once(server, 'listening');
		return started;
	}

	stop(): void {
		this.server.closeAllConnections();
		this.server.close();
	}

	get origin(): string {
		const { address, port } = this.server.address() as AddressInfo;
		return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
	}

	get url(): string {
		return `${this.origin}/mcp`;
	}

	/** The paths of the requests so far, each with its method. */
	get paths(): string[] {
		return this.received.map(({ method, path }) => `${method} ${path}`);
	}

	/** Stands for a user who signs in on a page. Returns what the browser brings back. */
	signInOn(page: URL): URLSearchParams {
		const { searchParams } = page;
		const code = randomUUID();
		this.codes.set(code, searchParams);
		return new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: this.origin });
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = '', url = '', headers } = request;
		const other = this.others.get(url);
		const isMcp = url === '/mcp' && other === undefined;
		const received: Received = { method, path: url, headers, body: '' };
		this.received.push(received);
		if (other !== undefined) {
			other(request, response);
		} else if (isMcp && this.tokens !== undefined && !this.isValid(headers.authorization)) {
			const metadata = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
			response
				.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="tools:call"` })
				.end();
		} else if (url.startsWith('/authorize?')) {
			this.showSignIn(new URL(url, this.origin), await text(request), response);
		} else if (isMcp) {
			await getRequestListener(each => this.serve(each))(request, response);
		} else {
			received.body = await text(request);
			const value = this.documentAt(url, received);
			response
				.writeHead(value === undefined ? 404 : 'error' in value ? 400 : 200, { 'content-type': 'application/json' })
				.end(JSON.stringify(value ?? {}));
		}
	}

	/** Shows the page of a sign-in, and sends the browser back with the answer of its form. */
	private showSignIn(page: URL, form: string, response: ServerResponse): void {
		if (form === '') {
			const buttons = ['Allow', 'Deny'].map(label => `<button name="answer" value="${label}">${label}</button>`);
			response.writeHead(200, { 'content-type': 'text/html' }).end(`<form method="post">${buttons.join('')}</form>`);
			return;
		}
		const answer = this.signInOn(page);
		if (form !== 'answer=Allow') {
			answer.delete('code');
			answer.set('error', 'access_denied');
		}
		const back = new URL(page.searchParams.get('redirect_uri') ?? '');
		for (const [name, value] of Object.entries({ ...Object.fromEntries(answer), ...this.answerFields })) {
			back.searchParams.set(name, value);
		}
		response.writeHead(302, { location: back.href }).end();
	}

	private isValid(authorization = ''): boolean {
		return this.tokens?.get(authorization.replace('Bearer ', '')) === this.url;
	}

	private async serve(request: Request): Promise<Response> {
		if (this.version === '2026-07-28') {
			const responseMode = this.isJson ? 'auto' : 'sse';
			return createMcpHandler(() => this.mcpServer(), { legacy: 'reject', responseMode }).fetch(request);
		}
		const session = request.headers.get('mcp-session-id');
		const known = session === null ? undefined : this.sessions.get(session);
		if (session !== null && known === undefined) {
			return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Gone.' } }, { status: 404 });
		}
		if (known !== undefined) {
			return known.handleRequest(request);
		}
		const transport = new WebStandardStreamableHTTPServerTransport({
			sessionIdGenerator: () => randomUUID(),
			onsessioninitialized: id => void this.sessions.set(id, transport),
			onsessionclosed: id => void this.sessions.delete(id),
			enableJsonResponse: this.isJson,
		});
		await this.mcpServer().connect(transport);
		return transport.handleRequest(request);
	}

	/** Returns a new server, as each session or request has one. */
	mcpServer(): McpServer {
		const { version } = this;
		const supported = version === undefined ? {} : { supportedProtocolVersions: [version] };
		const server = new McpServer({ name: 'test', version: '1' }, supported);
		const inputSchema = z.object({ a: z.number(), b: z.number() });
		server.registerTool('add', { description: 'Adds two numbers.', inputSchema }, async ({ a, b }) => ({
			content: [{ type: 'text', text: String(a + b) }],
		}));
		const words = z.object({ said: z.object({ word: z.string().meta({ 'x-mcp-header': 'Word' }) }) });
		server.registerTool('say', { description: 'Says a word.', inputSchema: words }, async ({ said }) => ({
			content: [{ type: 'text', text: said.word }],
		}));
		return server;
	}

	private documentAt(path: string, { body }: Received): object | undefined {
		const { origin } = this;
		switch (path) {
			case '/.well-known/oauth-protected-resource/mcp':
				return { resource: this.url, authorization_servers: [origin], ...this.resourceFields };
			case '/.well-known/oauth-authorization-server':
				return {
					issuer: origin,
					authorization_endpoint: `${origin}/authorize`,
					token_endpoint: `${origin}/token`,
					registration_endpoint: `${origin}/register`,
					revocation_endpoint: `${origin}/revoke`,
					code_challenge_methods_supported: ['S256'],
					authorization_response_iss_parameter_supported: true,
					...this.issuerFields,
				};
			case '/register':
				return { client_id: 'registered', ...JSON.parse(body) };
			case '/token':
				return this.tokensFor(new URLSearchParams(body));
			case '/revoke': {
				const token = new URLSearchParams(body).get('token') ?? '';
				this.refreshTokens.delete(token);
				this.tokens?.delete(token);
				return {};
			}
			default:
				return undefined;
		}
	}

	private tokensFor(form: URLSearchParams): object {
		const asked = this.codes.get(form.get('code') ?? '');
		const verifier = createHash('sha256')
			.update(form.get('code_verifier') ?? '')
			.digest('base64url');
		const isProven =
			asked?.get('code_challenge') === verifier &&
			['redirect_uri', 'client_id', 'resource'].every(name => asked.get(name) === form.get(name));
		if (!isProven && !this.refreshTokens.delete(form.get('refresh_token') ?? '')) {
			return { error: 'invalid_grant' };
		}
		this.codes.delete(form.get('code') ?? '');
		const [accessToken, refreshToken] = [randomUUID(), randomUUID()];
		this.tokens?.set(accessToken, form.get('resource') ?? '');
		this.refreshTokens.add(refreshToken);
		return {
			access_token: accessToken,
			token_type: 'Bearer',
			expires_in: this.lifetime,
			refresh_token: refreshToken,
		};
	}
}
