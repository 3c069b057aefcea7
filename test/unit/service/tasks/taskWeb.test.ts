import assert from 'node:assert/strict';
import { taskWeb } from '../../../../src/service/tasks/taskWeb.ts';

describe('the web in a task', () => {
	const { signal } = new AbortController();

	it('is nothing where no host has been allowed', () => {
		assert.equal(
			taskWeb([], () => {}),
			undefined,
		);
	});

	it('is the allowed hosts alone, and what was refused is logged once', async () => {
		const log: string[] = [];
		const web = taskWeb(['pages.example:443', '127.0.0.1:443'], sentence => log.push(sentence));
		const refusal = async (address: string) => web?.fetch?.(address, signal).catch(error => error.message);
		for (const address of ['https://docs.example/a', 'https://docs.example/a', 'https://pages.example:8443/']) {
			assert.match(
				(await refusal(address)) ?? '',
				/has not been allowed for this task\. It may reach pages\.example:443/,
			);
		}
		assert.deepEqual(log, [
			'The page https://docs.example/a was not fetched: docs.example:443 has not been allowed.',
			'The page https://pages.example:8443/ was not fetched: pages.example:8443 has not been allowed.',
		]);
		// This machine is never asked, whatever has been allowed.
		assert.match((await refusal('https://127.0.0.1/')) ?? '', /Errand doesn’t fetch pages from this machine/);
		assert.equal(web?.search, undefined);
	});
});
