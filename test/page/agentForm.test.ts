import assert from 'node:assert/strict';
import type { StepView } from '../../src/chat/protocol/workProtocol.ts';
import { agentTurn, formView, QUESTION, stepView } from '../ui/agentScenes.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';

describe('the form of an agent', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const box = () => chat.page.locator('chat-form .box');
	const send = () => box().getByRole('button', { name: 'Send Answers' });
	const words = async () => (await box().innerText()).replace(/\s+/g, ' ').trim();
	const filled = async () => (await chat.posted()).filter(({ kind }) => kind === 'step-fill');

	/** Shows a turn that works, and then the form. */
	const asked = async (step: StepView = formView()) => {
		// All of it is in view: Playwright scrolls for a second try of a click, and the page scrolls back to its end between
		// press and release.
		await open({ width: 280, height: 900 });
		const turn = agentTurn({ steps: [stepView()] }, { state: 'streaming' });
		await chat.snapshot([turn], { mode: 'agent', agent: { label: 'Errand', approvals: 'ask' } });
		await chat.changes({ kind: 'step-set', turn: turn.id, step });
		await box().waitFor();
		return { turn, step };
	};

	it('has the focus as a whole and says who asks for what', async () => {
		await asked();
		assert.match(
			await words(),
			/^\S+ ?Answer this\? The tests need a database\. Where shall it run\? Place \* In memory/,
		);
		const isFocused = await box().evaluate(form => (form.getRootNode() as ShadowRoot).activeElement === form);
		assert.equal(isFocused, true);
		assert.equal(await chat.page.locator('[aria-live="assertive"]').innerText(), '', 'the focus says it');
	});

	it('sends what was chosen and typed, by the names of the fields', async () => {
		const { turn } = await asked();
		await box().getByLabel('In a container').check();
		await box().getByLabel('Name of the database').fill('orders_test');
		await box().getByLabel('orders', { exact: true }).check();
		await box().getByLabel('Rows in each').fill('20');
		await send().click();
		const { request: _, ...message } = await chat.waitForPosted('step-fill');
		assert.deepEqual(message, {
			kind: 'step-fill',
			turn: turn.id,
			question: QUESTION,
			values: { place: 'docker', name: 'orders_test', parts: ['users', 'orders'], rows: 20, keep: false },
		});
	});

	it('sends nothing while an answer lacks or is out of bounds', async () => {
		await asked();
		await send().click();
		await box().getByLabel('Name of the database').fill('x');
		await box().getByLabel('Rows in each').fill('0');
		await send().click();
		assert.deepEqual(await filled(), []);
	});

	it('says why its answers were not sent, and keeps them', async () => {
		await asked();
		await box().getByLabel('Name of the database').fill('secret');
		await send().click();
		await chat.answer('step-fill', 'Not sent: this looks like a key.');
		await box().getByRole('alert').getByText('Not sent: this looks like a key.').waitFor();
		assert.equal(await box().getByLabel('Name of the database').inputValue(), 'secret');
	});

	it('is declined without its answers', async () => {
		const { turn, step } = await asked();
		await box().getByRole('button', { name: 'Decline' }).click();
		await box().waitFor({ state: 'hidden' });
		const answer = (await chat.posted()).find(({ kind }) => kind === 'step-answer');
		assert.deepEqual(answer, { kind: 'step-answer', turn: turn.id, question: QUESTION, answer: 'no' });
		await chat.changes({
			kind: 'step-set',
			turn: turn.id,
			step: { ...step, state: 'done', form: [], approval: { state: 'no' } },
		});
		await chat.page.locator('chat-step .line', { hasText: 'Declined' }).waitFor();
	});

	it('shows everything of the agent as text, and what hides in it', async () => {
		const title = '**Bold** <img src=x onerror=alert(1)> [a](command:quit)\u202e';
		const field = { name: 'form', title, description: title, kind: 'choice', isRequired: false } as const;
		await asked(formView({ title, form: [{ ...field, options: [{ value: 'submit', title }] }] }));
		const shown = '**Bold** <img src=x onerror=alert(1)> [a](command:quit)U+202E';
		assert.equal((await words()).split(shown).length, 5);
		assert.equal(await box().locator('img, a, strong').count(), 0);
	});

	it('has beside it, in the details of the reply, what the agent says of its cost and what is not understood', async () => {
		await open();
		const unknown: [string, string][] = [['telepathy', '{"a":"<b>b</b>\u202e"}']];
		const details = { agentCost: { amount: 0.123_456, currency: 'USD' }, unknown };
		await chat.snapshot([agentTurn({}, { text: 'Done.', details })]);
		await chat.page.getByRole('button', { name: /^Details of the reply/ }).click();
		const list = chat.page.locator('dl.details');
		await list.getByText('0.1235 USD').waitFor();
		await list.getByText('Other messages from the agent').click();
		await list.getByText('telepathy: {"a":"<b>b</b>U+202E"}').waitFor();
	});

	it('tells apart what became of it', async () => {
		await open();
		const step = (approval: StepView['approval']) =>
			formView({ state: 'done', form: [], ...(approval ? { approval } : {}) });
		const steps = [
			step({ state: 'once' }),
			step({ state: 'unanswered' }),
			step({ state: 'refused', reason: 'it asks for a key or password' }),
		];
		await chat.snapshot([agentTurn({ steps })]);
		const lines = await chat.page.locator('chat-step .line').allInnerTexts();
		for (const [index, expected] of [/Answered/, /Not answered/, /Declined/].entries()) {
			assert.match(lines[index] ?? '', expected);
		}
	});
});
