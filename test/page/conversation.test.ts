import assert from 'node:assert/strict';
import { waitFor } from '../support/waitFor.ts';
import { type ChatPage, CONVERSATION_ID, turnView, useChatPage } from '../ui/chatPage.ts';
import { RICH } from '../ui/scenes.ts';

const PARAGRAPHS = 'some words\n\n'.repeat(4_000);

describe('the chat page', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const log = () => chat.page.locator('.log');
	const button = (name: string) => chat.page.getByRole('button', { name, exact: true });

	it('says why there is no conversation, at the start or after a change was missed, and asks for it again', async () => {
		await open();
		await chat.fail('page-ready', 'The conversations cannot be read. Make room on the disk.');
		await chat.page.getByText('The conversations cannot be read. Make room on the disk.').waitFor();
		await chat.screenshot('no-snapshot');
		await button('Retry').click();
		await waitFor('it to be asked again', async () => {
			const kinds = (await chat.posted()).map(({ kind }) => kind);
			return kinds.filter(kind => kind === 'page-ready').length === 2;
		});
		await chat.snapshot([turnView()]);
		assert.equal(await button('Retry').count(), 0);
		await chat.send({ kind: 'turns-change', sequence: 7, changes: [] });
		await chat.fail('snapshot-request', 'The extension has stopped. Reload the window.');
		await chat.page.getByText('The extension has stopped. Reload the window.').waitFor();
		await button('Retry').click();
		await chat.snapshot([turnView()]);
		assert.equal(await chat.page.getByText('The extension has stopped.').count(), 0);
	});

	describe('with a long conversation', () => {
		const all = Array.from({ length: 2_000 }, (_, index) =>
			turnView({ text: index % 5 === 0 ? RICH : 'A short answer.' }, { question: `Question ${index}?` }),
		);
		/** Answers as the host does, 40 at a time. */
		async function giveEarlier(first: number): Promise<number> {
			const start = Math.max(0, first - 40);
			await chat.send({
				kind: 'turns-prepend',
				before: all[first]?.id ?? '',
				turns: all.slice(start, first),
				earlier: start,
			});
			return start;
		}
		const asked = async () => (await chat.posted()).filter(({ kind }) => kind === 'earlier-request').length;

		it('shows its end, and asks for earlier turns when the reader comes near them, once', async () => {
			await open({ height: 500 });
			await chat.snapshot(all.slice(-40), { earlier: 1_960 });
			await button('Show 1,960 Earlier Messages').waitFor();
			assert.equal(await asked(), 0);
			await log().evaluate(element => {
				element.scrollTop = 100;
			});
			await waitFor('the wish', async () => (await asked()) === 1);
			const before = await topTurn(chat);
			await giveEarlier(1_960);
			const after = await topTurn(chat);
			assert.equal(after.question, before.question);
			assert.ok(Math.abs(after.top - before.top) <= 4, `what is read moved from ${before.top} to ${after.top}`);
			await button('Show 1,920 Earlier Messages').waitFor({ state: 'attached' });
		});

		it('says why the turns before are not there, and asks for them again', async () => {
			await open({ height: 500 });
			await chat.snapshot(all.slice(-40), { earlier: 1_960 });
			await button('Show 1,960 Earlier Messages').click();
			await chat.fail('earlier-request', 'The conversation cannot be read. Try again.');
			await chat.page.getByText('The conversation cannot be read. Try again.').waitFor();
			assert.equal(await asked(), 1);
			await button('Retry').click();
			await waitFor('the wish', async () => (await asked()) === 2);
			await giveEarlier(1_960);
			assert.equal(await chat.page.getByText('The conversation cannot be read.').count(), 0);
		});

		it('can be read to its beginning by keyboard, and no step of it stops the page', async () => {
			await open({ height: 500 });
			await chat.snapshot(all.slice(-40), { earlier: 1_960 });
			/** Returns the median of several times in milliseconds, because a machine that stalls lengthens one or two. */
			const median = (times: number[]) => times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
			const timed = async (run: () => Promise<unknown>) => {
				const started = performance.now();
				await run();
				return performance.now() - started;
			};
			const slices: number[] = [];
			for (let first = 1_960; first > 0; ) {
				slices.push(
					await timed(async () => {
						first = await giveEarlier(first);
					}),
				);
			}
			assert.equal(await chat.page.locator('chat-turn').count(), 2_000);
			assert.equal(await chat.page.locator('.earlier').count(), 0);
			const appended: number[] = [];
			for (let count = 0; count < 5; count++) {
				appended.push(await timed(() => chat.change(turnView({ text: 'One more.' }))));
			}
			const [slice, turn] = [median(slices.slice(-15)), median(appended)];
			assert.ok(slice < 2_000 && turn < 1_000, `a slice took ${slice} ms, a turn more ${turn} ms`);
		});

		it('asks as long as the place where the reader was is not there', async () => {
			const [reading] = all.slice(1_900);
			await open({
				height: 500,
				state: { draft: '', conversation: CONVERSATION_ID, reading: { turn: reading?.id ?? '', offset: 10 } },
			});
			await chat.snapshot(all.slice(-40), { earlier: 1_960 });
			await waitFor('the first wish', async () => (await asked()) === 1);
			await giveEarlier(1_960);
			await waitFor('the second wish', async () => (await asked()) === 2);
			await giveEarlier(1_920);
			await waitFor('the place', async () => (await topTurn(chat)).question === 'Question 1900?');
		});
	});

	it('shows the end of another conversation, and keeps the draft', async () => {
		await open({ height: 400 });
		await chat.page.locator('chat-composer textarea').fill('A draft');
		await chat.snapshot(Array.from({ length: 10 }, () => turnView({ text: RICH })));
		await log().evaluate(element => {
			element.scrollTop = 100;
		});
		await button('Scroll to End').waitFor();
		await chat.snapshot(
			Array.from({ length: 10 }, () => turnView({ text: RICH })),
			{ conversation: 'c0000000-0000-4000-8000-000000000002' },
		);
		await waitFor('the end', async () => (await button('Scroll to End').count()) === 0);
		assert.equal(await chat.page.locator('chat-composer textarea').inputValue(), 'A draft');
	});

	describe('a message that is changed', () => {
		it('is sent with the turn that it changes, and kept until the host has taken it', async () => {
			await open();
			const turn = turnView();
			await chat.snapshot([turn]);
			await button('Edit and Send Again').click();
			const field = chat.page.getByRole('textbox', { name: 'Edit message' });
			await field.fill('Another question?');
			await field.press('Enter');
			const sent = await chat.waitForPosted('message-send');
			assert.deepEqual([sent.edits, sent.text, sent.conversation], [turn.id, 'Another question?', CONVERSATION_ID]);
			await chat.send({ kind: 'message-refuse', turn: sent.turn, reason: 'The disk is full.' });
			await chat.page.getByText('The disk is full.').waitFor();
			assert.equal(await field.inputValue(), 'Another question?');
			await chat.send({ kind: 'message-accept', turn: sent.turn });
			await waitFor('the field to go', async () => (await field.count()) === 0);
		});

		it('is still being changed after the page was made anew', async () => {
			await open();
			const turn = turnView();
			await chat.snapshot([turn]);
			await button('Edit and Send Again').click();
			await chat.page.getByRole('textbox', { name: 'Edit message' }).fill('Half a');
			const state = await chat.savedState();
			assert.ok(state);
			await open({ state });
			await chat.snapshot([turn]);
			assert.equal(await chat.page.getByRole('textbox', { name: 'Edit message' }).inputValue(), 'Half a');
		});

		it('is replaced as a whole after Select All, which the editor does once more when letters have been typed', async () => {
			await open();
			await chat.snapshot([turnView()]);
			await button('Edit and Send Again').click();
			await chat.page.evaluate(() => {
				window.addEventListener('keydown', ({ key, ctrlKey }) => {
					if (key === 'a' && ctrlKey) {
						window.addEventListener('keyup', () => document.execCommand('selectAll'));
					}
				});
			});
			const field = chat.page.getByRole('textbox', { name: 'Edit message' });
			await chat.page.keyboard.press('Control+a');
			await chat.page.keyboard.type('New');
			assert.equal(await field.inputValue(), 'New');
			const composer = chat.page.locator('chat-composer textarea');
			await composer.fill('A draft');
			await chat.page.keyboard.press('Control+a');
			await chat.page.keyboard.type('New');
			assert.equal(await composer.inputValue(), 'New');
		});

		it('is not begun while a reply runs, which is said', async () => {
			await open();
			await chat.snapshot([turnView(), turnView({ state: 'streaming', text: 'So far' })]);
			await button('Edit and Send Again').first().click();
			await chat.page.getByText('Wait for the reply, or stop it first.').waitFor();
			assert.equal(await chat.page.getByRole('textbox', { name: 'Edit message' }).count(), 0);
		});
	});

	for (const [name, text] of [
		['has more blocks than are shown', PARAGRAPHS.repeat(2)],
		['has a block that is too long to be laid out', `| a |\n| - |\n${'| words |\n'.repeat(20_000)}`],
	] as const) {
		it(`copies all of a reply that ${name}, as the note under it says`, async () => {
			await open();
			await chat.snapshot([turnView({ text })]);
			await chat.page.getByText('Copy Reply includes them.').waitFor({ state: 'attached' });
			await button('Copy Reply').click();
			assert.equal((await chat.waitForPosted('text-copy')).text, text);
		});
	}
});

/** The first turn in view and where it stands. */
function topTurn(chat: ChatPage): Promise<{ question: string; top: number }> {
	return chat.page.evaluate(() => {
		const root = document.querySelector('chat-app')?.shadowRoot;
		const turns = [...(root?.querySelectorAll('chat-turn') ?? [])];
		const turn = turns.find(element => element.getBoundingClientRect().bottom > 0);
		const question = turn?.shadowRoot?.querySelector('.question')?.textContent ?? '';
		return { question, top: turn?.getBoundingClientRect().top ?? 0 };
	});
}
