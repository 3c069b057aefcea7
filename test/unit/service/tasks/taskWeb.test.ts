import assert from 'node:assert/strict';
import { taskWeb } from '../../../../src/service/tasks/taskWeb.ts';

describe('the web in a task', () => {
	const { signal } = new AbortController();

	it('is nothing where nothing has been allowed', () => {
		assert.equal(
			taskWeb({ hosts: [], search: undefined }, () => {}),
			undefined,
		);
	});

	it('is the allowed hosts alone, and what was refused is logged once', async () => {
		const log: string[] = [];
		const hosts = ['pages.example:443', '127.0.0.1:443'];
		const web = taskWeb({ hosts, search: undefined }, sentence => log.push(sentence));
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

	it('is a search where that alone has been allowed', async () => {
		const search = async (query: string) => `About ${query}`;
		const web = taskWeb({ hosts: [], search }, () => {});
		assert.equal(web?.fetch, undefined);
		assert.equal(await web?.search?.('this', signal), 'About this');
	});
});
