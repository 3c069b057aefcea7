import assert from 'node:assert/strict';
import { RemoteAuthorization, type SignInPage } from '../../../../src/agents/mcp/authorization.ts';
import { signOut } from '../../../../src/agents/mcp/signOut.ts';
import { type RemoteServer, remoteServerSchema, signInSecret } from '../../../../src/contract/mcpServers.ts';
import { RemoteMcpServer } from '../../../support/remoteMcpServer.ts';

const RETURN = 'vscode://errand.errand/sign-in?windowId=1';

describe('the sign-in at an MCP server', () => {
	let server: RemoteMcpServer;
	let secrets: Map<string, string>;
	/** The pages that were opened. */
	let opened: SignInPage[];
	/** Returns the parameters with which the browser comes back from a page. */
	let answer: (page: URL) => URLSearchParams;
	/** The address to which the browser returns. */
	let back: string;

	beforeEach(async () => {
		server = await RemoteMcpServer.start();
		server.tokens = new Map();
		[secrets, opened, back] = [new Map(), [], RETURN];
		answer = page => server.signInOn(page);
	});
	afterEach(() => server.stop());

	const storage = {
		keys: async () => [...secrets.keys()],
		get: async (key: string) => secrets.get(key),
		store: async (key: string, value: string) => void secrets.set(key, value),
		delete: async (key: string) => void secrets.delete(key),
	};
	const authorization = (fields: Partial<RemoteServer> = {}) => {
		const declared = { ...remoteServerSchema.parse({ url: server.url }), name: 'test', file: undefined, ...fields };
		return new RemoteAuthorization(declared, {
			key: signInSecret({ ...declared, folder: undefined }),
			secrets: storage,
			returnAddress: async () => back,
			open: async (page, redeem) => {
				opened.push(page);
				await redeem(answer(page.page));
			},
		});
	};
	const { signal } = new AbortController();
	const challenge = (resource = `${server.origin}/.well-known/oauth-protected-resource/mcp`) =>
		`Bearer resource_metadata="${resource}", scope="tools:call"`;
	const signIn = (each = authorization(), said = challenge()) => each.renew(undefined, said, signal);
	const posted = (path: string) =>
		server.received.filter(received => received.path === path).map(({ body }) => new URLSearchParams(body));

	it('registers, proves that it has asked, names the resource everywhere, and keeps the token as a secret', async () => {
		const one = authorization();
		assert.equal(await one.token(signal), undefined);
		await signIn(one);
		const token = (await one.token(signal)) ?? assert.fail();
		assert.equal(server.tokens?.get(token), server.url);
		const { searchParams } = opened[0]?.page ?? assert.fail();
		assert.equal(searchParams.get('code_challenge_method'), 'S256');
		assert.equal(searchParams.get('resource'), server.url);
		assert.equal(searchParams.get('scope'), 'tools:call');
		assert.equal(searchParams.get('redirect_uri'), RETURN);
		assert.equal(searchParams.get('client_id'), 'registered');
		assert.equal(posted('/token')[0]?.get('resource'), server.url);
		const wish = JSON.parse(server.received.find(({ path }) => path === '/register')?.body ?? '');
		assert.deepEqual([wish.application_type, wish.token_endpoint_auth_method], ['native', 'none']);
		// Another window has the stored values, and does not ask.
		assert.equal(await authorization().token(signal), token);
		assert.equal(opened.length, 1);
	});

	it('finds the metadata by their usual places where the challenge names none', async () => {
		await signIn(authorization(), 'Bearer');
		assert.equal(opened.length, 1);
	});

	it('uses the declared client, and registers none', async () => {
		await signIn(authorization({ clientId: 'https://example.com/client.json' }));
		assert.equal(opened[0]?.page.searchParams.get('client_id'), 'https://example.com/client.json');
		assert.deepEqual(posted('/register'), []);
	});

	it('registers again where the browser returns to another place, or nobody knows the client any more, and keeps one', async () => {
		const one = authorization();
		await signIn(one);
		const more = challenge().replace('Bearer', 'Bearer error="insufficient_scope",');
		const again = async () => one.renew(await one.token(signal), more, signal);
		const counts = () => [
			posted('/register').length,
			[...secrets.keys()].filter(key => key.startsWith('errand.mcpClient.')).length,
		];
		await again();
		assert.deepEqual(counts(), [1, 1]);
		back = `${RETURN}2`;
		await again();
		assert.deepEqual(counts(), [2, 1]);
		server.others.set('/token', (_, response) => {
			server.others.delete('/token');
			response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}');
		});
		await assert.rejects(again(), /gave no token \(HTTP 401, invalid_client\)/);
		await again();
		assert.deepEqual(counts(), [3, 1]);
	});

	it('renews a token that ends, one after another, and asks nobody', async () => {
		server.lifetime = 1;
		const one = authorization();
		await signIn(one);
		const tokens = await Promise.all([one.token(signal), one.token(signal)]);
		assert.equal(new Set(tokens).size, 2);
		for (const { 0: grant } of posted('/token')
			.slice(1)
			.map(form => form.getAll('grant_type'))) {
			assert.equal(grant, 'refresh_token');
		}
		assert.equal(opened.length, 1);
	});

	it('asks anew where a token was refused and cannot be renewed, and once for all who wait', async () => {
		const one = authorization();
		await signIn(one);
		const token = await one.token(signal);
		server.others.set('/token', (_, response) => {
			server.others.delete('/token');
			response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
		});
		await Promise.all([one.renew(token, challenge(), signal), one.renew(token, challenge(), signal)]);
		assert.equal(opened.length, 2);
		assert.notEqual(await one.token(signal), token);
	});

	it('asks for what was allowed before and for more, where a call needs more', async () => {
		const one = authorization();
		await signIn(one);
		const more = challenge()
			.replace('tools:call', 'tools:write')
			.replace('Bearer', 'Bearer error="insufficient_scope",');
		await one.renew(await one.token(signal), more, signal);
		assert.equal(opened[1]?.scope, 'tools:call tools:write');
	});

	it('goes on where the agent has not waited', async () => {
		const gone = new AbortController();
		const one = authorization();
		const asked = Promise.withResolvers<void>();
		answer = page => {
			asked.resolve();
			return server.signInOn(page);
		};
		const renewed = one.renew(undefined, challenge(), gone.signal);
		gone.abort(new Error('gone'));
		await assert.rejects(renewed, /gone/);
		await asked.promise;
		assert.notEqual(await one.token(signal), undefined);
	});

	describe('refuses, and opens nothing for', () => {
		const refused = async (said: RegExp, each?: RemoteAuthorization, with_ = challenge()) => {
			await assert.rejects(signIn(each, with_), { name: 'UserFacingError', message: said });
			assert.deepEqual(opened, []);
			assert.deepEqual(posted('/token'), []);
		};

		it('metadata of another origin', async () => {
			const other = await RemoteMcpServer.start();
			try {
				await refused(/names an address for its sign-in that is not used/, undefined, challenge(`${other.origin}/x`));
				assert.deepEqual(other.paths, []);
			} finally {
				other.stop();
			}
		});

		it('a resource that is another one, whose token it would get', async () => {
			for (const resource of ['https://good.example/mcp', `${server.origin}/mc`, `${server.origin}/mcp/other`]) {
				server.resourceFields = { resource };
				await refused(/asks for a sign-in to something else/);
			}
		});

		it('an authorization server in the user’s network that the setting does not name', async () => {
			const other = await RemoteMcpServer.start();
			try {
				server.resourceFields = { authorization_servers: [other.origin] };
				await refused(/leads into this machine or its network/);
				server.resourceFields = { authorization_servers: ['https://169.254.169.254'] };
				await refused(/leads into this machine or its network/);
				assert.deepEqual(other.paths, []);
			} finally {
				other.stop();
			}
		});

		it('endpoints in the user’s network, or that are no addresses', async () => {
			for (const endpoint of ['authorization_endpoint', 'registration_endpoint']) {
				for (const [address, said] of [
					['https://10.0.0.1/x', /leads into this machine/],
					['http://example.com/x', /names an address that is not used/],
					['javascript:alert(1)', /names an address that is not used/],
				] as const) {
					server.issuerFields = { [endpoint]: address };
					secrets.clear();
					await refused(said);
				}
			}
		});

		it('an authorization server that says it is another one', async () => {
			server.issuerFields = { issuer: 'https://good.example' };
			await refused(/says that it is another one/);
		});

		it('one that does not protect the code', async () => {
			server.issuerFields = { code_challenge_methods_supported: ['plain'] };
			await refused(/does not protect its answer/);
		});

		it('one that registers nobody, and says what to do', async () => {
			server.issuerFields = { registration_endpoint: undefined };
			await refused(/Ask whoever runs it for a client ID, and put it into clientId/);
		});

		it('a server that does not say where to sign in', async () => {
			server.others.set('/.well-known/oauth-protected-resource/mcp', (_, response) => response.writeHead(404).end());
			await refused(/does not say where\. Ask whoever runs it for a token/);
		});

		it('metadata that redirect to another origin, or do not end', async () => {
			const other = await RemoteMcpServer.start();
			try {
				const path = '/.well-known/oauth-authorization-server';
				server.others.set(path, (_, response) => response.writeHead(302, { location: `${other.origin}${path}` }).end());
				await refused(/which is not followed/);
				server.others.set(path, (_, response) => response.writeHead(200).end(' '.repeat(300_000)));
				await refused(/sent more than is read/);
				assert.deepEqual(other.paths, []);
			} finally {
				other.stop();
			}
		});
	});

	it('drops an answer of another issuer, or of none where there must be one, before its code goes anywhere', async () => {
		for (const iss of ['https://evil.example', undefined]) {
			answer = page => {
				const parameters = server.signInOn(page);
				parameters.delete('iss');
				return iss === undefined ? parameters : new URLSearchParams({ ...Object.fromEntries(parameters), iss });
			};
			await assert.rejects(signIn(), /did not come from there, and was dropped/);
		}
		assert.deepEqual(posted('/token'), []);
	});

	it('takes an answer without an issuer from one that does not promise it', async () => {
		server.issuerFields = { authorization_response_iss_parameter_supported: false };
		answer = page => {
			const parameters = server.signInOn(page);
			parameters.delete('iss');
			return parameters;
		};
		await signIn();
		assert.notEqual(await authorization().token(signal), undefined);
	});

	it('that was refused says so, and repeats no words of a page', async () => {
		answer = () => new URLSearchParams({ error: 'access_denied', error_description: 'Call 555', iss: server.origin });
		await assert.rejects(signIn(), { message: 'the sign-in was refused (access_denied). Try again.' });
		answer = () => new URLSearchParams({ error: 'Call 555!', iss: server.origin });
		await assert.rejects(signIn(), { message: 'the sign-in was refused (without a reason). Try again.' });
	});

	it('sends the token of one resource to no other', async () => {
		await signIn();
		assert.equal(await authorization({ url: `${server.origin}/other` }).token(signal), undefined);
	});

	describe('that is over', () => {
		const keyOf = (url = server.url) =>
			signInSecret({ ...remoteServerSchema.parse({ url }), name: 'test', file: undefined, folder: undefined });

		it('leaves nothing here or there: neither tokens nor the registration', async () => {
			await signIn();
			const token = (await authorization().token(signal)) ?? '';
			assert.equal(secrets.size, 2);
			assert.equal(await signOut(keyOf(), storage), true);
			assert.deepEqual([...secrets], []);
			assert.equal(server.tokens?.has(token), false);
			const forms = posted('/revoke').map(form => [form.get('token_type_hint'), form.get('client_id')]);
			assert.deepEqual(forms, [
				['refresh_token', 'registered'],
				['access_token', 'registered'],
			]);
		});

		it('keeps the registration that another sign-in has', async () => {
			await signIn();
			const [kept = ''] = [secrets.get(keyOf())];
			secrets.set(keyOf('https://other.example/mcp'), kept);
			await signOut(keyOf(), storage);
			assert.deepEqual([...secrets.keys()].sort(), [
				`errand.mcpClient.${server.origin}`,
				keyOf('https://other.example/mcp'),
			]);
		});

		it('is forgotten here though its server ends no access, refuses, is not reached or names another network', async () => {
			const over = async (): Promise<unknown> => [await signOut(keyOf(), storage), secrets.size];
			for (const revocation_endpoint of [undefined, 'https://169.254.169.254/revoke', 'javascript:alert(1)', 7]) {
				server.issuerFields = { revocation_endpoint };
				await signIn();
				assert.deepEqual(await over(), [false, 0]);
			}
			server.issuerFields = {};
			await signIn();
			server.others.set('/revoke', (_, response) => response.writeHead(503).end());
			assert.deepEqual(await over(), [false, 0]);
			await signIn();
			server.others.set('/revoke', (_, response) => response.destroy());
			assert.deepEqual(await over(), [false, 0]);
			assert.deepEqual(await over(), [false, 0]);
		});
	});
});
