import assert from 'node:assert/strict';
import { tokenProbabilities } from '../../../../src/service/decisions/evaluate.ts';
import { type Option, optionsOf, readFilledForm } from '../../../../src/service/decisions/form.ts';

const options = optionsOf({ type: 'choice', instructions: '', criteria: { red: 'r', green: 'g', blue: 'b' } });

const token = (text: string, alternatives: Record<string, number> = {}) => ({
	token: text,
	logprob: -0.1,
	top_logprobs: Object.entries(alternatives).map(([other, share]) => ({ token: other, logprob: Math.log(share) })),
});

const shares = (tokens: object[], of: readonly Option[] = options) => {
	const read = tokenProbabilities({ content: tokens }, of);
	return read && Object.fromEntries([...read].map(([name, share]) => [name, Math.round(share * 1000) / 1000]));
};

describe('tokenProbabilities', () => {
	it('reads the token that holds the label, wherever tokens begin and end', () => {
		const expected = { red: 0.7, green: 0.3, blue: 0 };
		for (const tokens of [
			[token('{"answer":"'), token('A', { A: 0.7, B: 0.3 }), token('"}')],
			[token('{"'), token('answer'), token('":'), token(' "'), token('A', { A: 0.7, B: 0.3 }), token('","x":1}')],
			[token('{"answer":'), token(' "A', { ' "A': 0.7, ' "B': 0.3 }), token('"}')],
			[token('{\n  "answer" : "'), token('A",', { 'A",': 0.7, 'B",': 0.3 })],
			[token('Well: '), token('{"answer":"'), token('A', { A: 0.7, B: 0.3 })],
		]) {
			assert.deepEqual(shares(tokens), expected);
		}
	});

	it('shares out what labels got, and leaves out what anything else got', () => {
		const tokens = [token('{"answer":"'), token('A', { A: 0.2, ' A': 0.2, C: 0.1, Z: 0.4, the: 0.1 })];
		assert.deepEqual(shares(tokens), { red: 0.8, green: 0, blue: 0.2 });
	});

	it('tells nothing where the tokens do not', () => {
		for (const tokens of [
			[],
			[token('A', { A: 1 })],
			[token('{"answer":"'), token('A')],
			[token('{"answer":"'), token('A', { x: 0.5, y: 0.5 })],
			[token('{"answer":"')],
		]) {
			assert.equal(shares(tokens), undefined);
		}
		for (const logprobs of [undefined, null, 'None', { content: null }, { content: [{ token: 1 }] }, []]) {
			assert.equal(tokenProbabilities(logprobs, options), undefined);
		}
	});

	it('tells nothing of labels that may be several tokens', () => {
		const many = optionsOf({ type: 'score', instructions: '', criteria: Array.from({ length: 27 }, () => 'x') });
		assert.equal(shares([token('{"answer":"'), token('1', { 1: 1 })], many), undefined);
	});
});

describe('readFilledForm', () => {
	it('reads an answer with or without a code block or words around it', () => {
		const json = '{"answer": "B", "probability": 0.6}';
		for (const text of [json, `\`\`\`json\n${json}\n\`\`\``, `Here it is: ${json}`, ` ${json} `]) {
			const filled = readFilledForm(text, options);
			assert.deepEqual([filled?.chosen.name, filled?.probability], ['green', 0.6]);
		}
	});

	it('takes nothing that does not fit', () => {
		for (const text of [
			'',
			'B',
			'{',
			'[]',
			'null',
			'{"answer": "D", "probability": 0.6}',
			'{"answer": "green", "probability": 0.6}',
			'{"answer": "B"}',
			'{"answer": "B", "probability": "0.6"}',
			'{"answer": "B", "probability": 1.1}',
			'{"answer": "B", "probability": -0.1}',
			'{"probability": 0.6}',
		]) {
			assert.equal(readFilledForm(text, options), undefined, text);
		}
	});
});
