import assert from 'node:assert/strict';
import { systemClock } from '../../src/base/async.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { askKey } from '../../src/models/keys/askKey.ts';
import { serverKeyUse } from '../../src/models/keys/keyUse.ts';
import { editorFetch } from '../../src/platform/editorFetch.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { InputBoxes } from './inputBoxes.ts';

const KEY = 'sk-proj-Ab3dEf6hIj9kLm2n';
const context = { transport: createFetchTransport(editorFetch), logger: nullLogger, clock: systemClock };

describe('the question for the key of a server', () => {
	let boxes: InputBoxes;

	beforeEach(() => {
		boxes = new InputBoxes();
	});
	afterEach(() => boxes.stop());

	it('accepts a key that is not refused, even if the list of models is open to anybody', async () => {
		const server = await FaultServer.start((response, { path, headers }) => {
			const isRight = headers.authorization === `Bearer ${KEY}`;
			if (path === '/v1/key' && !isRight) {
				sendJson(response, 401, { error: { message: 'No cookie auth credentials found' } });
			} else {
				sendJson(response, 200, { data: [{ id: 'open' }] });
			}
		});
		const url = `${server.origin}/v1`;
		const use = { ...serverKeyUse({ slug: 'open', setting: { url, label: 'Open' } }), openList: { checkPath: '/key' } };
		const asking = askKey(use, context);
		await waitFor('the box', () => boxes.shown.length === 1);
		assert.equal(boxes.last?.password, true);
		assert.match(boxes.last?.prompt ?? '', /secret storage and sent only to http:\/\/127\.0\.0\.1:\d+\./);
		await boxes.enter('has blanks');
		await waitFor('the form to be refused', () => /no spaces/.test(String(boxes.last?.validationMessage)));
		assert.deepEqual(server.received, []);
		await boxes.enter('sk-wrong');
		await waitFor('the key to be refused', () =>
			/rejected the key: No cookie auth credentials found\. Check it/.test(String(boxes.last?.validationMessage)),
		);
		assert.equal(boxes.last?.value, '', 'what is typed next does not stand behind the refused key');
		await boxes.enter(KEY);
		const accepted = await asking;
		assert.ok(typeof accepted === 'object');
		assert.equal(accepted.key, KEY);
		assert.equal(accepted.check?.answer, 'accepted');
		await server.stop();
	});
});
