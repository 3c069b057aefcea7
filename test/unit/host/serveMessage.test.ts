import assert from 'node:assert/strict';
import type { Answer } from '../../../src/base/rpc.ts';
import { serveMessage } from '../../../src/platform/serveMessage.ts';

const REQUEST = 'f0000000-0000-4000-8000-000000000001';

interface Message {
	kind: string;
	request?: string;
}

describe('the host, for a message of a page,', () => {
	let posted: unknown[];
	let logged: string[];
	let explained: string[];

	beforeEach(() => {
		posted = [];
		logged = [];
		explained = [];
	});

	const serve = (message: unknown, handle: (message: Message) => unknown) =>
		serveMessage<Message>(message, {
			parse: given => ((given as Message | undefined)?.kind === 'odd' ? undefined : (given as Message | undefined)),
			handle,
			background: new Set(['told']),
			post: async answer => {
				JSON.stringify(answer);
				posted.push(answer);
			},
			explain: error => {
				explained.push((error as Error).message);
				return { message: 'It failed. Try again.' };
			},
			logger: { log: (level, message, fields) => logged.push(`${level} ${message}: ${fields?.reason}`) },
		});
	const answered = (answer: Answer) => [{ kind: 'answer', request: REQUEST, answer }];
	const fails = () => {
		throw new Error('disk');
	};
	const FAILED = [{ ...answered({ problem: 'It failed. Try again.' })[0] }];

	it('answers a request with what its handler returns', async () => {
		await serve({ kind: 'ask', request: REQUEST }, async () => ['a']);
		assert.deepEqual(posted, answered({ value: ['a'] }));
		assert.deepEqual(logged, []);
	});

	it('answers a request whose handler throws, at once or later, with words, and logs it', async () => {
		await serve({ kind: 'ask', request: REQUEST }, fails);
		await serve({ kind: 'ask', request: REQUEST }, async () => fails());
		assert.deepEqual(posted, [...FAILED, ...FAILED]);
		assert.equal(logged.length, 2);
		assert.match(logged[0] ?? '', /^error .*: disk$/);
	});

	it('answers a request whose answer cannot be posted, and one of an unknown form', async () => {
		await serve({ kind: 'ask', request: REQUEST }, () => 1n);
		await serve({ kind: 'odd', request: REQUEST }, fails);
		assert.deepEqual(posted, [...FAILED, ...FAILED]);
		assert.match(explained[1] ?? '', /unknown form/);
	});

	it('answers neither an answer nor a message that is not a request', async () => {
		await serve({ kind: 'answer', request: REQUEST }, () => 'x');
		await serve({ kind: 'odd' }, fails);
		await serve(undefined, fails);
		await serve({ kind: 'told' }, fails);
		assert.deepEqual(posted, []);
		assert.equal(logged.length, 3);
	});
});
