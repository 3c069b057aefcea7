import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OwnAgent } from '../../support/ownAgent.ts';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const DONE: ScriptedReply = { text: 'Done.' };

describe('Errand’s own agent, whose model’s service fails', () => {
	const own = useOwnAgent();
	const titles = ({ events }: OwnAgent) =>
		events.flatMap(event => (event.type === 'tool' && event.isNew ? [event.call.title] : []));

	for (const api of ['responses', 'chat']) {
		describe(`by ${api}`, () => {
			const temporary: [string, ScriptedReply, RegExp][] = [
				['an internal error', { error: { status: 500, message: 'Oops', wait: 0 } }, /had an internal error: Oops/],
				['a gateway without an answer', { error: { status: 502, message: 'Bad', wait: 0 } }, /a service it depends on/],
				['too many requests', { error: { status: 429, message: 'Slower', wait: 0 } }, /limiting requests/],
				['a stream that breaks off', { text: 'Do', breaks: true }, /ended its reply early/],
				['a connection that is closed', { breaks: true }, /ended its reply early|can’t be reached/],
				['an empty reply', {}, /answered with nothing/],
				['a reply of blanks', { text: ' \n' }, /answered with nothing/],
			];
			for (const [what, failure, notice] of temporary) {
				it(`asks again after ${what}, tells of it, and does the work`, async () => {
					const agent = await own.start({ API: api });
					own.server.play(failure, failure, DONE);
					assert.equal(await agent.session.prompt('Go'), 'end_turn');
					assert.equal(agent.said().trim(), 'Done.');
					const told = titles(agent);
					assert.match(told[0] ?? '', /^Try 2 of 3: The model scripted /);
					assert.match(told[0] ?? '', notice);
					assert.match(told[1] ?? '', /^Try 3 of 3/);
					assert.equal(new Set(own.server.requests.map(({ body }) => JSON.stringify(body))).size, 1);
				});
			}

			it('gives up after three tries, with a sentence', async () => {
				const agent = await own.start({ API: api });
				const failure: ScriptedReply = { error: { status: 500, message: 'Oops', wait: 0 } };
				own.server.play(failure, failure, failure, DONE);
				await assert.rejects(agent.session.prompt('Go'), /had an internal error: Oops\. Try again"\)\.$/);
				assert.equal(own.server.requests.length, 3);
				own.server.play(DONE);
				assert.equal(await agent.session.prompt('Again'), 'end_turn');
			});

			it('never runs a call twice because the reply after it breaks off', async () => {
				const agent = await own.start({ API: api });
				own.server.play(
					call('run', { command: 'echo once >> ran' }),
					{ text: 'I am ', breaks: true },
					{ text: 'I am do', breaks: true },
					{ text: 'I am done.' },
				);
				assert.equal(await agent.session.prompt('Go'), 'end_turn');
				assert.equal(readFileSync(path.join(own.folder, 'ran'), 'utf8'), 'once\n');
				assert.equal(agent.said(), 'I am done.');
			});

			it('runs no call of a reply that breaks off', async () => {
				const agent = await own.start({ API: api });
				own.server.play(
					{ ...call('run', { command: 'echo cut >> ran' }), breaks: true },
					call('run', { command: 'echo whole >> ran' }),
					DONE,
				);
				assert.equal(await agent.session.prompt('Go'), 'end_turn');
				assert.equal(readFileSync(path.join(own.folder, 'ran'), 'utf8'), 'whole\n');
			});
		});
	}

	it('does not ask again after what is final, nor where the wait would be too long', async () => {
		for (const error of [
			{ status: 400, message: 'No such field' },
			{ status: 400, message: 'Unsupported parameter: max_output_tokens' },
			{ status: 402, message: 'Out of credit' },
			{ status: 503, message: 'Come back tomorrow', wait: 3_600 },
		]) {
			const agent = await own.start();
			const before = own.server.requests.length;
			own.server.play({ error }, DONE);
			await assert.rejects(agent.session.prompt('Go'), new RegExp(error.message));
			assert.equal(own.server.requests.length - before, 1);
		}
	});

	it('is stopped while it waits for the next try', async () => {
		const agent = await own.start();
		own.server.play({ error: { status: 503, message: 'Later', wait: 50 } });
		const running = agent.session.prompt('Go');
		await own.server.requested(1);
		await agent.session.cancel();
		assert.equal(await running, 'cancelled');
	});

	for (const [status, code, sentence] of [
		[401, 'invalid_api_key', /The model scripted rejected the key: Wrong key\. Check it, or enter a different one/],
		[
			403,
			'forbidden',
			/doesn’t allow this for the key’s account: Wrong key\. Use the key of an account with permission/,
		],
		[502, 'unauthorized', /The model scripted cannot be used: Wrong key\. Enter another key for it, then try again/],
	] as const) {
		it(`leads to the key that was refused with ${status}, and nowhere else`, async () => {
			const agent = await own.start({ KEY: 'sk-1234567890' });
			own.server.play({ error: { status, message: 'Wrong key.', code } }, DONE);
			await assert.rejects(agent.session.prompt('Go'), (error: Error) => {
				assert.match(error.message, sentence);
				assert.doesNotMatch(error.message, /another agent/);
				return true;
			});
			assert.equal(own.server.requests.length, 1);
		});
	}
});
