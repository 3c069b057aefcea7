// The sign-in at an MCP server at an address, as the protocol's specification has it (2026-07-28; 2025-11-25 has no
// check of the issuer in the answer): metadata of the resource and of its authorization server, registration, the
// authorization code with PKCE, and tokens that are bound to the issuer and the resource. Nothing of it goes into a log.
import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { SerialQueue, untilAborted } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { oneLine } from '../../base/plainText.ts';
import { type RemoteServer, readServerAddress } from '../../contract/mcpServers.ts';
import { RemoteRequests } from './remoteRequest.ts';
import type { ServerAuthorization } from './remoteServer.ts';

const MAXIMUM_REDIRECTS = 3;
const REQUEST_MS = 30_000;
const MAXIMUM_NAME = 200;
/** By default, a token is renewed this long before it ends. */
const AHEAD_MS = 30_000;

const words = z.string().max(10_000);
/** A text that can go into a header. */
const token = words.regex(/^[\x21-\x7e]+$/);

const resourceSchema = z.object({
	resource: words,
	authorization_servers: z.array(words).min(1),
	scopes_supported: z.array(words).optional().catch(undefined),
});

const serverSchema = z.object({
	issuer: words,
	authorization_endpoint: words,
	token_endpoint: words,
	registration_endpoint: words.optional(),
	revocation_endpoint: words.optional().catch(undefined),
	scopes_supported: z.array(words).optional().catch(undefined),
	code_challenge_methods_supported: z.array(words).default([]),
	authorization_response_iss_parameter_supported: z.boolean().default(false),
});
type AuthorizationServer = z.output<typeof serverSchema>;

const clientSchema = z.object({
	client_id: words,
	client_secret: words.optional(),
	token_endpoint_auth_method: words.optional(),
});
type Client = z.output<typeof clientSchema>;

/** A registered client, with the address to which the browser returns: a served editor has another one each time. */
const registeredSchema = clientSchema.extend({ returnAddress: words });

const tokensSchema = z.object({
	access_token: token,
	token_type: words.regex(/^bearer$/i),
	expires_in: z.coerce.number().positive().optional().catch(undefined),
	refresh_token: words.optional(),
	scope: words.optional(),
});

/** The result of a sign-in, which is kept as a secret. */
const keptSchema = z.object({
	issuer: words,
	resource: words,
	tokenEndpoint: words,
	client: clientSchema,
	accessToken: token,
	refreshToken: words.optional(),
	/** In milliseconds since 1970. */
	expiresAt: z.number().optional(),
	scope: words,
	/** The address at which the access can be ended, and the hosts in the user's own network that the sign-in may use. */
	revocation: z.object({ endpoint: words, hosts: z.array(words) }).optional(),
});
export type Kept = z.output<typeof keptSchema>;

export const readKept = (secret: string | undefined): Kept | undefined =>
	keptSchema.safeParse(parseJson(secret ?? '')).data;

export interface SignInPage {
	/** The page of the authorization server, for the browser. */
	page: URL;
	/** The value that the answer has to bring back. */
	state: string;
	issuer: string;
	scope: string;
}

export interface AuthorizationOptions {
	/** The key of the secret that the sign-in is kept as. */
	key: string;
	/** Secrets of the editor. */
	secrets: {
		get(key: string): PromiseLike<string | undefined>;
		store(key: string, value: string): PromiseLike<void>;
		delete(key: string): PromiseLike<void>;
	};
	/** Resolves with the address to which the browser returns. */
	returnAddress(): Promise<string>;
	/**
	 * Opens the page after a yes, and calls `redeem` with the parameters that the browser brings back with the state.
	 * Rejects as that does, and with a UserFacingError after a no.
	 */
	open(page: SignInPage, redeem: (answer: URLSearchParams) => Promise<void>): Promise<void>;
}

/** The authorization server that an MCP server names, with the resource and the scope to ask for. */
interface Discovered {
	resource: string;
	scope: string;
	server: AuthorizationServer;
}

export class RemoteAuthorization implements ServerAuthorization {
	private readonly server: RemoteServer;
	private readonly url: URL;
	private readonly options: AuthorizationOptions;
	private readonly requests: RemoteRequests;
	private readonly queue = new SerialQueue();

	constructor(server: RemoteServer, options: AuthorizationOptions) {
		this.server = server;
		this.url = new URL(server.url);
		this.options = options;
		this.requests = new RemoteRequests(server);
	}

	/** A token that ends within `aheadMs` is renewed. */
	token(signal: AbortSignal, aheadMs = AHEAD_MS): Promise<string | undefined> {
		const known = this.queue.run(async () => {
			const kept = await this.kept();
			if (kept?.expiresAt === undefined || Date.now() < kept.expiresAt - aheadMs) {
				return kept?.accessToken;
			}
			// A token that cannot be renewed is sent all the same: the server refuses it with its challenge.
			return ((await this.refresh(kept)) ?? kept).accessToken;
		});
		return untilAborted(known, signal);
	}

	/** A sign-in goes on when the signal aborts: an agent waits for a shorter time than somebody needs in the browser. */
	renew(refused: string | undefined, challenge: string, signal: AbortSignal): Promise<void> {
		const renewed = this.queue.run(async () => {
			const kept = await this.kept();
			if (kept !== undefined && kept.accessToken !== refused) {
				return;
			}
			const isForMore = /\binsufficient_scope\b/.test(challenge);
			if (isForMore || kept === undefined || (await this.refresh(kept)) === undefined) {
				await this.signIn(await this.discover(challenge, kept));
			}
		});
		return untilAborted(renewed, signal);
	}

	private async kept(): Promise<Kept | undefined> {
		const { secrets, key } = this.options;
		return readKept(await secrets.get(key));
	}

	/** Finds out where to sign in, as far as nobody but the server and its authorization server says so. */
	private async discover(challenge: string, kept: Kept | undefined): Promise<Discovered> {
		const named = parameterOf(challenge, 'resource_metadata');
		const wellKnown = '/.well-known/oauth-protected-resource';
		const places = named === undefined ? withPath(this.url, wellKnown) : [named];
		const found = await this.firstOf(places, resourceSchema, url => url.origin === this.url.origin);
		if (found === undefined) {
			throw new UserFacingError(
				`${this.host} wants a sign-in, but does not say where. Ask whoever runs it for a token, and put it into the header Authorization.`,
			);
		}
		// A token for this resource is sent to this server, which must not be able to ask for one of another.
		if (!isWithin(this.url, URL.parse(found.resource))) {
			throw new UserFacingError(
				`${this.host} asks for a sign-in to something else, ${oneLine(found.resource, MAXIMUM_NAME)}. Nothing was opened. Ask whoever runs it.`,
			);
		}
		const issuer =
			found.authorization_servers.find(one => one === kept?.issuer) ?? found.authorization_servers[0] ?? '';
		const server = await this.readServer(issuer);
		const asked = parameterOf(challenge, 'scope') ?? found.scopes_supported?.join(' ') ?? '';
		const before = kept?.issuer === issuer ? kept.scope : '';
		const offline = server.scopes_supported?.includes('offline_access') === true ? 'offline_access' : '';
		const scopes = new Set(`${before} ${asked} ${asked === '' ? '' : offline}`.split(' ').filter(one => one !== ''));
		return { resource: found.resource, scope: [...scopes].join(' '), server };
	}

	private async readServer(issuer: string): Promise<AuthorizationServer> {
		const url = readServerAddress(issuer);
		const places = url && [
			...withPath(url, '/.well-known/oauth-authorization-server').slice(0, 1),
			...withPath(url, '/.well-known/openid-configuration').slice(0, 1),
			...(url.pathname === '/' ? [] : [`${url.origin}${pathOf(url)}/.well-known/openid-configuration`]),
		];
		const server = await this.firstOf(places ?? [], serverSchema);
		const shown = oneLine(issuer, MAXIMUM_NAME);
		if (server === undefined) {
			throw new UserFacingError(
				`the sign-in at ${shown} cannot be used: it does not describe itself. Ask whoever runs it.`,
			);
		}
		if (server.issuer !== issuer) {
			throw new UserFacingError(
				`the sign-in at ${shown} says that it is another one, ${oneLine(server.issuer, MAXIMUM_NAME)}. Nothing was opened. Ask whoever runs it.`,
			);
		}
		if (!server.code_challenge_methods_supported.includes('S256')) {
			throw new UserFacingError(
				`the sign-in at ${shown} does not protect its answer (PKCE), so it is not used. Ask whoever runs it.`,
			);
		}
		return server;
	}

	/** Resolves with the first document that is there and of the right form. */
	private async firstOf<T>(
		places: readonly string[],
		schema: z.ZodType<T>,
		isAllowed: (url: URL) => boolean = () => true,
	): Promise<T | undefined> {
		for (const place of places) {
			const url = readServerAddress(place);
			if (url === undefined || !isAllowed(url)) {
				throw new UserFacingError(
					`${this.host} names an address for its sign-in that is not used, ${oneLine(place, MAXIMUM_NAME)}. Ask whoever runs it.`,
				);
			}
			const request = { headers: { accept: 'application/json' }, maximumRedirects: MAXIMUM_REDIRECTS };
			const signal = AbortSignal.timeout(REQUEST_MS);
			const { status, value } = await this.requests.readJson(url, { ...request, signal });
			const document = status === 200 ? schema.safeParse(value).data : undefined;
			if (document !== undefined) {
				return document;
			}
		}
		return undefined;
	}

	private async signIn({ resource, scope, server }: Discovered): Promise<void> {
		const { issuer } = server;
		const returnAddress = await this.options.returnAddress();
		const client = await this.client(server, returnAddress);
		const page = await this.endpoint(server.authorization_endpoint);
		const verifier = randomBytes(32).toString('base64url');
		const state = randomBytes(32).toString('base64url');
		const parameters = {
			response_type: 'code',
			client_id: client.client_id,
			redirect_uri: returnAddress,
			code_challenge: createHash('sha256').update(verifier).digest('base64url'),
			code_challenge_method: 'S256',
			state,
			resource,
			...(scope === '' ? {} : { scope }),
		};
		for (const [name, value] of Object.entries(parameters)) {
			page.searchParams.set(name, value);
		}
		const endpoint = server.revocation_endpoint;
		const bound = {
			...{ issuer, resource, tokenEndpoint: server.token_endpoint, client, scope },
			...(endpoint === undefined ? {} : { revocation: { endpoint, hosts: this.server.hosts } }),
		};
		await this.options.open({ page, state, issuer, scope }, async answer => {
			const sent = answer.get('iss');
			// Another issuer's code must not reach the token endpoint of this one, nor may its words be shown.
			if (sent === null ? server.authorization_response_iss_parameter_supported : sent !== issuer) {
				throw new UserFacingError(
					`the answer to the sign-in at ${oneLine(issuer, MAXIMUM_NAME)} did not come from there, and was dropped. Try again, and only in the page that was opened.`,
				);
			}
			const code = answer.get('code');
			if (code === null) {
				throw new UserFacingError(`the sign-in was refused (${errorIn(answer.get('error'))}). Try again.`);
			}
			const form = { grant_type: 'authorization_code', code, redirect_uri: returnAddress, code_verifier: verifier };
			await this.askForTokens(bound, form);
		});
	}

	/** Resolves with the client that one signs in with: the declared one, a registered one, or one that registers now. */
	private async client(server: AuthorizationServer, returnAddress: string): Promise<Client> {
		const { clientId } = this.server;
		if (clientId !== undefined) {
			return { client_id: clientId };
		}
		const { secrets } = this.options;
		const key = clientKey(server.issuer);
		const known = registeredSchema.safeParse(parseJson((await secrets.get(key)) ?? '')).data;
		if (known?.returnAddress === returnAddress) {
			return known;
		}
		const shown = oneLine(server.issuer, MAXIMUM_NAME);
		if (server.registration_endpoint === undefined) {
			throw new UserFacingError(
				`the sign-in at ${shown} registers no programs by itself. Ask whoever runs it for a client ID, and put it into clientId in errand.agents.mcpServers.`,
			);
		}
		const url = await this.endpoint(server.registration_endpoint);
		const wish = {
			client_name: 'Errand',
			redirect_uris: [returnAddress],
			grant_types: ['authorization_code', 'refresh_token'],
			response_types: ['code'],
			token_endpoint_auth_method: 'none',
			application_type: returnAddress.startsWith('https:') ? 'web' : 'native',
		};
		const headers = { 'content-type': 'application/json' };
		const { value } = await this.post(url, headers, JSON.stringify(wish));
		const client = clientSchema.safeParse(value).data;
		if (client === undefined) {
			throw new UserFacingError(
				`the sign-in at ${shown} did not register Errand (${errorOf(value)}). Ask whoever runs it for a client ID, and put it into clientId in errand.agents.mcpServers.`,
			);
		}
		await secrets.store(key, JSON.stringify({ ...client, returnAddress }));
		return client;
	}

	/** Resolves with undefined if the authorization server gives no token for the kept one. */
	private async refresh(kept: Kept): Promise<Kept | undefined> {
		if (kept.refreshToken === undefined) {
			return undefined;
		}
		const form = { grant_type: 'refresh_token', refresh_token: kept.refreshToken };
		return this.askForTokens(kept, form).catch(error => {
			if (error instanceof TokenRefusal) {
				return undefined;
			}
			throw error;
		});
	}

	/** Rejects with a TokenRefusal if the endpoint gives none. */
	private async askForTokens(bound: Omit<Kept, 'accessToken'>, form: Readonly<Record<string, string>>): Promise<Kept> {
		const { issuer, resource, tokenEndpoint, client, refreshToken, scope, revocation } = bound;
		const { headers, body } = formFor(client, { ...form, resource });
		const url = await this.endpoint(tokenEndpoint);
		const { status, value } = await this.post(url, headers, body);
		const tokens = status === 200 ? tokensSchema.safeParse(value).data : undefined;
		if (tokens === undefined) {
			await this.forget(bound, errorOf(value));
			const sentence = `${url.host} gave no token (HTTP ${status}, ${errorOf(value)}). Try again.`;
			throw status < 500 ? new TokenRefusal(sentence) : new UserFacingError(sentence);
		}
		const kept: Kept = {
			...{ issuer, resource, tokenEndpoint, client, accessToken: tokens.access_token, scope: tokens.scope ?? scope },
			...defined({
				revocation,
				refreshToken: tokens.refresh_token ?? refreshToken,
				expiresAt: tokens.expires_in === undefined ? undefined : Date.now() + tokens.expires_in * 1000,
			}),
		};
		await this.options.secrets.store(this.options.key, JSON.stringify(kept));
		return kept;
	}

	/** Drops what is not accepted any more, so that the next sign-in begins anew. */
	private async forget({ issuer }: Pick<Kept, 'issuer'>, error: string): Promise<void> {
		if (error === 'invalid_client' || error === 'unauthorized_client') {
			await this.options.secrets.delete(clientKey(issuer));
		}
	}

	private async endpoint(text: string): Promise<URL> {
		const url = readServerAddress(text);
		if (url === undefined) {
			throw new UserFacingError(
				`its sign-in names an address that is not used, ${oneLine(text, MAXIMUM_NAME)}. Ask whoever runs it.`,
			);
		}
		await this.requests.check(url, AbortSignal.timeout(REQUEST_MS));
		return url;
	}

	private post(url: URL, headers: Record<string, string>, body: string) {
		const signal = AbortSignal.timeout(REQUEST_MS);
		const request = { method: 'POST', headers: { ...headers, accept: 'application/json' }, body } as const;
		return this.requests.readJson(url, { ...request, maximumRedirects: 0, signal });
	}

	private get host(): string {
		return this.url.host;
	}
}

/** The token endpoint has answered, and gave none. */
class TokenRefusal extends UserFacingError {}

/** Returns a form of the client, which says by its secret, if it has one, that it is the client. */
export function formFor(client: Client, fields: Readonly<Record<string, string>>) {
	const { client_id, client_secret, token_endpoint_auth_method: method = 'client_secret_basic' } = client;
	const body = new URLSearchParams({ ...fields, client_id });
	if (client_secret !== undefined && method === 'client_secret_post') {
		body.set('client_secret', client_secret);
	}
	const credentials = `${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret ?? '')}`;
	const isInHeader = client_secret !== undefined && method === 'client_secret_basic';
	return {
		headers: {
			'content-type': 'application/x-www-form-urlencoded',
			...(isInHeader ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {}),
		},
		body: body.toString(),
	};
}

export const clientKey = (issuer: string): string => `errand.mcpClient.${issuer}`;

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '');

/** Returns the addresses of a well-known document: that of the path, and that of the whole origin. */
function withPath(url: URL, wellKnown: string): string[] {
	const path = pathOf(url);
	return [...(path === '' ? [] : [`${url.origin}${wellKnown}${path}`]), `${url.origin}${wellKnown}`];
}

/** Returns whether a server is, or lies below, the resource that it names. */
function isWithin(server: URL, resource: URL | null): boolean {
	return (
		resource !== null &&
		resource.origin === server.origin &&
		resource.hash === '' &&
		`${pathOf(server)}/`.startsWith(`${pathOf(resource)}/`)
	);
}

/** Returns a parameter of a challenge (`WWW-Authenticate`), in quotes or without. */
function parameterOf(challenge: string, name: string): string | undefined {
	const found = new RegExp(`(?:^|[\\s,])${name}=(?:"([^"\\\\]*)"|([^\\s,"]+))`, 'i').exec(challenge);
	return found?.[1] ?? found?.[2];
}

/** Returns the code of an error, of which there is a list; other words of a server are not repeated. */
const errorIn = (value: unknown): string =>
	typeof value === 'string' && /^[a-z_]{1,40}$/.test(value) ? value : 'without a reason';

const errorOf = (value: unknown): string => errorIn((value as { error?: unknown } | undefined)?.error);
