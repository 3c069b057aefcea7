import assert from 'node:assert/strict';
import { ClientError } from '../../../../src/base/errors.ts';
import { explainFailure } from '../../../../src/base/explainFailure.ts';
import { createClient } from '../../../../src/client/client.ts';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../../../../src/contract/connection.ts';
import { type Answer, FaultServer, sendJson } from '../../../support/faultServer.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';

const KEY = 'sk-of-the-lab-4711';

const says =
	(status: number, message: string, headers: Record<string, string> = {}): Answer =>
	response => {
		for (const [name, value] of Object.entries(headers)) {
			response.setHeader(name, value);
		}
		sendJson(response, status, { error: { message } });
	};
const streams =
	(...events: string[]): Answer =>
	response => {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		response.end(events.map(event => `data: ${event}\n\n`).join(''));
	};
const TEXT = JSON.stringify({ choices: [{ index: 0, delta: { content: 'One' } }] });

describe('how a model server behind the local service has failed', () => {
	let lab: FaultServer;
	let service: ServiceProcess;
	let closed: string;

	before(async () => {
		lab = await FaultServer.start(() => {});
		const gone = await FaultServer.start(() => {});
		const { origin } = gone;
		closed = new URL(origin).host;
		await gone.stop();
		service = await ServiceProcess.start({
			handover: {
				upstreams: [
					{ slug: 'lab', url: `${lab.origin}/v1`, key: KEY, models: ['lab-1'] },
					{ slug: 'open', label: 'My server', url: `${lab.origin}/open`, models: ['open-1'] },
					{ slug: 'gone', url: `${origin}/v1`, models: ['gone-1'] },
					{ slug: 'tls', url: `${lab.origin.replace('http:', 'https:')}/v1`, models: ['tls-1'] },
					{ slug: 'listing', url: `${lab.origin}/listing`, key: KEY },
				],
				findOllama: false,
			},
		});
	});
	after(async () => {
		await service?.stop();
		await lab.stop();
	});

	/** What the client of the local connection says of a chat that was answered in this way. */
	async function explainedFor(answer: Answer, model = 'lab-1') {
		lab.answer = answer;
		const client = createClient({
			connection: { name: 'local', ...connectionSchema.parse({ apiUrl: service.address, service: 'local' }) },
			keys: () => Promise.resolve(service.token),
			transport: createFetchTransport((input, init) => fetch(input, init)),
		});
		const messages = [{ role: 'user' as const, content: 'Hello' }];
		try {
			for await (const _ of client.chat.stream({ model, messages })) {
				// Only its end matters here.
			}
		} catch (error) {
			assert.ok(ClientError.is(error), String(error));
			return explainFailure(error, { name: 'Local' });
		}
		return assert.fail('nothing was wrong');
	}

	const changeKey = { action: 'changeKey', server: 'lab' };
	const rows: [what: string, answer: Answer, cause: string, step: RegExp, help: object | undefined, model?: string][] =
		[
			[
				'a refused key',
				says(401, 'Incorrect API key provided.'),
				'lab rejected the key: Incorrect API key provided.',
				/^Check it/,
				changeKey,
			],
			[
				'a server that requires a key and has none',
				says(401, 'Who are you?'),
				'My server requires a key: Who are you?',
				/^Enter one/,
				{ action: 'enterKey', server: 'open' },
				'open-1',
			],
			[
				'an account that may not',
				says(403, 'Your region is not supported'),
				'lab doesn’t allow this for the key’s account: Your region is not supported.',
				/^Use the key of an account/,
				changeKey,
			],
			[
				'a failure of its own',
				says(500, 'CUDA out of memory'),
				'lab had an internal error: CUDA out of memory.',
				/^Try again\.$/,
				{ action: 'showLog' },
			],
			['no credit', says(402, 'Top up'), 'The account on lab is out of credit or quota: Top up.', /^Add/, undefined],
			[
				'a model that is gone',
				says(404, 'The model `lab-1` does not exist'),
				'lab no longer has the model, or nothing serves models at its address: The model `lab-1` does not exist.',
				/^Select a different model/,
				{ action: 'chooseModel' },
			],
			[
				'too many requests',
				says(429, 'Slow down', { 'retry-after': '1' }),
				'lab is limiting requests: Slow down.',
				/^Try again in 1 s\.$/,
				undefined,
			],
			[
				'a server that is not ready',
				says(503, 'All workers are busy'),
				'lab is temporarily unavailable: All workers are busy.',
				/^Try again\.$/,
				{ action: 'showLog' },
			],
			[
				'a time limit of its own',
				says(504, 'The worker timed out'),
				'lab didn’t respond in time: The worker timed out.',
				/^Try again\.$/,
				{ action: 'showLog' },
			],
			[
				'a request that it refuses',
				says(400, 'temperature is not supported'),
				'lab rejected the request: temperature is not supported.',
				/^Change the message or its settings/,
				undefined,
			],
			[
				'400, because the conversation is too long',
				says(400, "This model's maximum context length is 8192 tokens."),
				"The request is too large for lab: This model's maximum context length is 8192 tokens.",
				/^Send a smaller request\.$/,
				undefined,
			],
			[
				'a login page',
				response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Log in</title>'),
				'A web page, such as a sign-in page, responded instead of lab.',
				/^Check the address/,
				{ action: 'showLog' },
			],
			[
				'an error in the middle',
				streams(TEXT, JSON.stringify({ error: { message: 'context shift is disabled' } })),
				'lab had an internal error: context shift is disabled.',
				/^Try again\.$/,
				{ action: 'showLog' },
			],
			[
				'a reply that breaks off',
				streams(TEXT),
				'lab ended its reply early.',
				/^The part that arrived is kept/,
				undefined,
			],
			[
				'a server that does not speak https',
				says(200, ''),
				'tls doesn’t support https.',
				/^Start the address with http:\/\//,
				{ action: 'showLog' },
				'tls-1',
			],
		];
	for (const [what, answer, cause, step, help, model] of rows) {
		it(`is told in its own words, with what to do: ${what}`, async () => {
			const explained = await explainedFor(answer, model);
			assert.equal(explained.cause, cause);
			assert.match(explained.step, step);
			assert.deepEqual(explained.help, help);
		});
	}

	it('is told where nothing listens at its address', async () => {
		const { cause, step } = await explainedFor(() => {}, 'gone-1');
		assert.equal(cause, `gone can’t be reached: nothing responds at ${closed} (ECONNREFUSED).`);
		assert.equal(step, 'Start the server, or check the port.');
	});

	it('is told where its model is not known because it did not list it', async () => {
		const { cause, help } = await explainedFor(says(401, 'Incorrect API key provided.'), 'listing-1');
		assert.equal(cause, 'listing rejected the key: Incorrect API key provided.');
		assert.deepEqual(help, { action: 'changeKey', server: 'listing' });
	});

	it('names each of several that were tried, and helps with the key that was refused', async () => {
		const other = await FaultServer.start(says(500, 'Out of memory'));
		const both = await ServiceProcess.start({
			handover: {
				upstreams: [
					{ slug: 'lab', url: `${lab.origin}/v1`, key: KEY, models: ['shared'] },
					{ slug: 'spare', url: `${other.origin}/v1`, models: ['shared'] },
				],
				findOllama: false,
			},
		});
		const first = service;
		service = both;
		try {
			const { cause, help } = await explainedFor(says(401, 'Incorrect API key provided.'), 'shared');
			assert.match(cause, /lab rejected the key: Incorrect API key provided\./);
			assert.match(cause, /spare had an internal error: Out of memory\./);
			assert.deepEqual(help, changeKey);
		} finally {
			service = first;
			await both.stop();
			await other.stop();
		}
	});

	it('tells nothing of the key, even where the server repeats it', async () => {
		const { cause } = await explainedFor(says(401, `Incorrect API key provided: ${KEY}.`));
		assert.match(cause, /^lab rejected the key: Incorrect API key provided: /);
		assert.ok(!cause.includes(KEY), cause);
	});
});
