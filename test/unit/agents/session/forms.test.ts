import assert from 'node:assert/strict';
import type { AgentForm, FormAnswer } from '../../../../src/agents/session/events.ts';
import { formContent, readForm } from '../../../../src/agents/session/forms.ts';
import type { Step } from '../../../support/scriptedAgent.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { useAgent } from './useAgent.ts';

type Json = Record<string, unknown>;

const form = (properties: Json, others: Json = {}): Json => ({
	mode: 'form',
	message: 'How shall it go on?',
	requestedSchema: { type: 'object', properties, ...others },
});
const read = (params: Json) => readForm(params);

const REGION = {
	type: 'string',
	title: 'Region',
	oneOf: [
		{ const: 'eu', title: 'Europe', description: 'Near\u202e you' },
		{ const: 'us', title: 'America' },
	],
	default: 'eu',
};

describe('a form of an agent', () => {
	it('has fields of every kind, with their bounds and what is there before', () => {
		const { fields, refusal } = read(
			form(
				{
					name: { type: 'string', description: 'A\nname', minLength: 2, maxLength: 5, default: 'abc' },
					mail: { type: 'string', format: 'email' },
					when: { type: 'string', format: 'date-time' },
					count: { type: 'integer', title: 'Max tokens', minimum: 1, maximum: 9, default: 12 },
					share: { type: 'number', default: 0.5 },
					force: { type: 'boolean', default: true },
					region: REGION,
					size: { type: 'string', enum: ['s', 'm'] },
					parts: { type: 'array', minItems: 1, items: { type: 'string', enum: ['a', 'b'] }, default: ['b'] },
					areas: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
				},
				{ required: ['name', 'region', 7] },
			),
		);
		assert.equal(refusal, undefined);
		const option = (value: string, title = value) => ({ value, title });
		const field = (name: string, kind: string, others: Json = {}) => ({
			name,
			title: name,
			kind,
			isRequired: false,
			...others,
		});
		assert.deepEqual(fields, [
			field('name', 'text', { isRequired: true, description: 'A\nname', minimum: 2, maximum: 5, value: 'abc' }),
			field('mail', 'email'),
			field('when', 'text'),
			field('count', 'integer', { title: 'Max tokens', minimum: 1, maximum: 9 }),
			field('share', 'number', { value: 0.5 }),
			field('force', 'boolean', { value: true }),
			field('region', 'choice', {
				title: 'Region',
				isRequired: true,
				options: [{ ...option('eu', 'Europe'), description: 'Near you' }, option('us', 'America')],
				value: 'eu',
			}),
			field('size', 'choice', { options: [option('s'), option('m')] }),
			field('parts', 'choices', { minimum: 1, options: [option('a'), option('b')], value: ['b'] }),
			field('areas', 'choices', { options: [option('x', 'X')] }),
		]);
	});

	describe('is refused', () => {
		it('where a field that is typed into looks like a secret, however it is written', () => {
			for (const property of [
				{ apiKey: { type: 'string' } },
				{ a: { type: 'string', title: 'Pass\u200bword' } },
				{ a: { type: 'string', title: 'Pass\u200cwo\u0301rd' } },
				{ a: { type: 'string', title: 'ＰＡＳＳＷＯＲＤ' } },
				{ a: { type: 'string', description: 'the access token of the registry' } },
				{ a: { type: 'integer', title: 'PIN' } },
				{ AWS_SECRET_ACCESS: { type: 'string' } },
				{ passphrase: { type: 'string' } },
			]) {
				assert.deepEqual(read(form(property)), { message: 'How shall it go on?', fields: [], refusal: 'secret' });
			}
			const asked = { ...form({ answer: { type: 'string' } }), message: 'Please paste your API key' };
			assert.equal(read(asked).refusal, 'secret');
		});

		it('but not where nothing is typed', () => {
			assert.equal(
				read(form({ token: { type: 'boolean', title: 'Use the token of the machine' } })).refusal,
				undefined,
			);
			assert.equal(read({ ...form({ region: REGION }), message: 'Where is the API key kept?' }).refusal, undefined);
		});

		it('where it wants an address opened', () => {
			const params = { mode: 'url', message: 'Log in', url: 'https://a.example/', elicitationId: 'one' };
			const refused = { message: 'Log in', fields: [], refusal: 'address' };
			assert.deepEqual(read(params), { ...refused, address: 'https://a.example/' });
			assert.deepEqual(read({ ...params, url: 'http://a.example/' }), refused);
		});

		it('where a part of it cannot be shown', () => {
			const long = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`a${index}`, { type: 'boolean' }]));
			const many = { type: 'string', enum: Array.from({ length: 101 }, (_, index) => `${index}`) };
			for (const properties of [
				{ a: { type: 'object' } },
				{ a: null },
				{ a: { type: 'string', enum: [] } },
				{ a: { type: 'string', enum: [7] } },
				{ a: { type: 'array' } },
				{ ['a'.repeat(300)]: { type: 'boolean' } },
				long,
				{ a: many },
				Object.fromEntries(
					Array.from({ length: 20 }, (_, index) => [`a${index}`, { type: 'boolean', description: 'x'.repeat(2_000) }]),
				),
			]) {
				assert.equal(read(form(properties)).refusal, 'unreadable', JSON.stringify(properties).slice(0, 60));
			}
			assert.equal(read({ mode: 'dance', message: 7 }).refusal, 'unreadable');
		});
	});

	it('is answered with what fits its fields, and with nothing else', () => {
		const asked = read(
			form(
				{
					name: { type: 'string', minLength: 2 },
					count: { type: 'integer', maximum: 9 },
					force: { type: 'boolean' },
					region: REGION,
					parts: { type: 'array', maxItems: 1, items: { type: 'string', enum: ['a', 'b'] } },
				},
				{ required: ['name'] },
			),
		);
		const good = { name: 'ab', count: 3, force: false, region: 'us', parts: ['a'] };
		assert.deepEqual(formContent(asked, { ...good, more: 'x' }), good);
		assert.deepEqual(formContent(asked, { name: 'ab' }), { name: 'ab' });
		assert.deepEqual(formContent(read(form({ constructor: { type: 'boolean' } })), {}), {});
		for (const wrong of [
			{},
			{ name: 'a' },
			{ name: 7 },
			{ name: 'ab', count: 10 },
			{ name: 'ab', count: 1.5 },
			{ name: 'ab', force: 'yes' },
			{ name: 'ab', region: 'mars' },
			{ name: 'ab', parts: ['a', 'b'] },
			{ name: 'ab', parts: ['c'] },
			{ name: 'x'.repeat(10_001) },
		]) {
			assert.equal(formContent(asked, wrong as never), undefined, JSON.stringify(wrong).slice(0, 60));
		}
	});

	describe('in a session', () => {
		const agent = useAgent();
		const ask = (params: Json): Step => ({ request: 'elicitation/create', params });
		const run = (params: Json, fillIn?: (asked: AgentForm) => Promise<FormAnswer>) =>
			agent.play([ask(params), { answered: true }, { tell: 'initialize' }, { stop: 'end_turn' }], {
				...(fillIn ? { fillIn } : {}),
			});
		const refusals = () => agent.events.flatMap(event => (event.type === 'form-refused' ? [event.refusal] : []));

		it('is filled in by whoever is there, and the agent gets the answers', async () => {
			let asked: AgentForm | undefined;
			await run(form({ region: REGION }), async given => {
				asked = given;
				return { action: 'accept', content: { region: 'us' } };
			});
			assert.equal(asked?.message, 'How shall it go on?');
			const [answer, introduction] = agent.told();
			assert.deepEqual(answer.result, { action: 'accept', content: { region: 'us' } });
			assert.deepEqual(introduction.clientCapabilities.elicitation, { form: {} });
			assert.deepEqual(refusals(), []);
		});

		it('is declined where nobody is there, which the agent is told from the start', async () => {
			await run(form({ region: REGION }));
			const [answer, introduction] = agent.told();
			assert.deepEqual(answer.result, { action: 'decline' });
			assert.equal('elicitation' in introduction.clientCapabilities, false);
			assert.deepEqual(refusals(), ['nobody']);
		});

		it('is declined without a question where it is refused', async () => {
			await run(form({ password: { type: 'string' } }), () => assert.fail('It was asked.'));
			assert.deepEqual(agent.told()[0].result, { action: 'decline' });
			assert.deepEqual(refusals(), ['secret']);
		});

		it('is no question where it belongs to another session or to none', async () => {
			await run({ ...form({ region: REGION }), sessionId: 'other' }, () => assert.fail('It was asked.'));
			assert.deepEqual(agent.told()[0].result, { action: 'cancel' });
		});

		it('is taken back when the prompt is stopped', async () => {
			let isAsked = false;
			const session = await agent.open(
				{},
				{
					fillIn: () => {
						isAsked = true;
						return new Promise(() => {});
					},
				},
			);
			const steps = [ask(form({ region: REGION })), { answered: true }, { cancelled: true }, { stop: 'cancelled' }];
			const running = session.prompt(JSON.stringify(steps));
			await waitFor('the question', () => isAsked);
			await session.cancel();
			assert.equal(await running, 'cancelled');
			assert.deepEqual(agent.told()[0].result, { action: 'cancel' });
		});
	});
});
