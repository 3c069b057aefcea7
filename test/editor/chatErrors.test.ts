import assert from 'node:assert/strict';
import { explainRequestFailure } from '../../src/chat/settings/messages.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { explainError } from '../../src/platform/notify.ts';
import { FaultServer } from '../support/faultServer.ts';
import { MODEL, replyErrors } from '../support/replyErrors.ts';

describe('every error of a reply', () => {
	let server: FaultServer;

	beforeEach(async () => {
		server = await FaultServer.start(response => void response.writeHead(500).end());
	});

	afterEach(() => server?.stop());

	const clientOf = (): Client =>
		createClient({
			connection: { name: 'quillon', ...connectionSchema.parse({ apiUrl: server.origin, service: 'quillon' }) },
			keys: () => Promise.resolve('sk-quillon'),
			transport: createFetchTransport((input, init) => fetch(input, init)),
		});

	for (const { what, answer, mode = 'chat', sentence, button } of replyErrors) {
		it(`has its sentence and its button: ${what}`, async () => {
			server.answer = answer;
			const client = clientOf();
			const messages = [{ role: 'user' as const, content: 'Hello' }];
			const asked =
				mode === 'image'
					? client.images.generate({ model: MODEL, prompt: 'A quill' })
					: client.chat.stream({ model: MODEL, messages })[Symbol.asyncIterator]().next();
			const error = await asked.then(
				() => assert.fail('nothing was wrong'),
				(reason: unknown) => reason,
			);
			const { message, action } =
				explainRequestFailure(error, { model: MODEL }, mode) ?? explainError(error, 'Quillon', { hasRetry: true });
			assert.match(message, sentence);
			assert.equal(action?.command, button);
		});
	}
});
