import assert from 'node:assert/strict';
import { createLogger } from '../../../../src/base/logger.ts';
import { anything, exactly, honoured, noteInLog, without } from '../../../../src/service/inference/foreignFields.ts';

describe('the fields of a request beyond the contract', () => {
	const tolerated = { annotations: anything, n: exactly(1) };

	it('are dropped from a copy, nulls as well', () => {
		const fields = { role: 'user', annotations: [1], n: 1, name: null };
		assert.deepEqual(without(tolerated, fields), { role: 'user' });
		assert.deepEqual(fields, { role: 'user', annotations: [1], n: 1, name: null });
	});

	it('are named by their places where they are not honoured, nulls aside', () => {
		const places: string[] = [];
		const fields = { annotations: [1], n: 1, name: null, kept: 2, said: 'x' };
		assert.deepEqual(
			without({ ...tolerated, said: honoured }, fields, 'messages.', place => places.push(place)),
			{ kept: 2 },
		);
		assert.deepEqual(places, ['messages.annotations', 'messages.n']);
	});

	it('are named in the log once each', () => {
		const lines: string[] = [];
		const note = noteInLog(createLogger('chat', (_, line) => lines.push(line)));
		for (const place of ['metadata', 'messages.name', 'metadata']) {
			note(place);
		}
		const text = '[chat] a field of a request is accepted and changes no answer';
		assert.deepEqual(lines, [`${text} field=metadata`, `${text} field=messages.name`]);
	});

	it('make no copy where there are none', () => {
		const fields = { role: 'user', content: 'Hello', n: 2 };
		assert.equal(without(tolerated, fields), fields);
	});

	it('stay if they reach for prototypes, so that the schema refuses them by name', () => {
		const fields = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": "x", "name": null}');
		const kept = without(tolerated, fields);
		assert.deepEqual(Object.keys(kept), ['__proto__', 'constructor']);
		assert.equal(Object.getPrototypeOf(kept), Object.prototype);
	});
});
