import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { createKeyRemover, removeKeyFrom } from '../../../../src/client/core/keyRemoval.ts';

const KEY = 'sk-Tide7Lantern/Pebble+Quartz=42';
const remove = createKeyRemover(KEY);

const spelled = (key: string, spell: (code: string) => string) =>
	key.replace(/./g, letter => spell(letter.charCodeAt(0).toString(16).padStart(2, '0')));

/** The forms in which texts carry a key. */
const FORMS: Record<string, string> = {
	whole: KEY,
	'in lower case': KEY.toLowerCase(),
	'percent-encoded where it must be': encodeURIComponent(KEY),
	'percent-encoded twice': encodeURIComponent(encodeURIComponent(KEY)),
	'percent-encoded letter by letter': spelled(KEY, code => `%${code}`),
	'escaped as in JSON, with its slash': KEY.replaceAll('/', '\\/'),
	'escaped letter by letter': spelled(KEY, code => `\\u00${code}`),
	'escaped twice': spelled(KEY, code => `\\\\u00${code}`),
	'as numbers in HTML': spelled(KEY, code => `&#x${code};`),
	'as decimal numbers in HTML': spelled(KEY, code => `&#${Number.parseInt(code, 16)};`),
	'in base64': Buffer.from(KEY).toString('base64'),
	'in base64 behind a name': Buffer.from(`user:${KEY}`).toString('base64'),
	'in base64 for addresses': Buffer.from(`é:${KEY}`).toString('base64url'),
};

describe('a key is taken out of a text', () => {
	for (const [what, form] of Object.entries(FORMS)) {
		it(what, () => {
			const text = remove(`It said: “${form}” is no key. ⚓`);
			assert.match(text, /^It said: “.*\[key\].*” is no key\. ⚓$/);
			for (let start = 0; start + 12 <= form.length; start++) {
				const piece = form.slice(start, start + 12);
				// What base64 mixes with its neighbours belongs to them as well.
				assert.ok(!text.includes(piece) || what.startsWith('in base64'), piece);
			}
			assert.ok(text.length < 60);
		});
	}

	it('in pieces of twelve characters and more, wherever it was cut', () => {
		fc.assert(
			fc.property(
				fc.nat(KEY.length - 12),
				fc.nat(KEY.length),
				fc.string(),
				fc.string(),
				(start, length, before, after) => {
					const piece = KEY.slice(start, start + 12 + length);
					assert.ok(!remove(`${before} ${piece} ${after}`).includes(piece));
				},
			),
		);
	});

	it('as often as it is there, and nothing else with it', () => {
		assert.equal(remove(`${KEY}, ${KEY}${KEY}; ${KEY}`), '[key], [key]; [key]');
		for (const text of ['', 'sk-Tide', 'The tide is out.', '100 % of \\it\\ &#35; %zz %41', 'İ'.repeat(50)]) {
			assert.equal(remove(text), text);
		}
	});

	it('as a word, where it is so short that it could be a part of any other', () => {
		const short = createKeyRemover('none');
		assert.equal(short('There is none: NONE, nonetheless. %6eone'), 'There is [key]: [key], nonetheless. [key]');
		assert.equal(createKeyRemover('x')('x is no xylophone'), '[key] is no xylophone');
	});

	it('in no time, however long the text is', () => {
		const long = '%2541\\u0041&#x41;'.repeat(4000);
		assert.equal(remove(long), long);
	});
});

describe('a key is taken out of an error', () => {
	it('with its message, its stack, its fields and its causes, whatever they are', () => {
		const deep = Object.assign(new TypeError(`${KEY}: deep`), { data: `GET / ${KEY}`, hosts: [{ name: KEY }] });
		const aggregate = new AggregateError([new Error(KEY)], KEY, { cause: deep });
		const error = new Error(`with ${KEY}`, { cause: aggregate });
		assert.ok(error.stack?.includes(KEY));
		removeKeyFrom(error, remove);
		assert.ok(!inspect(error, { depth: 20, showHidden: true }).includes(KEY));
		assert.equal(error.message, 'with [key]');
		assert.equal(error.cause, aggregate);
		assert.ok(deep instanceof TypeError && deep.message === '[key]: deep');
	});

	it('but for the words that others go by', () => {
		const error = Object.assign(new Error('failed'), { code: 'source-link-missing' });
		removeKeyFrom(error, createKeyRemover('source-link-missing'));
		assert.equal(error.code, 'source-link-missing');
	});

	it('even if its causes form a circle, or are not errors', () => {
		const error: Error & { own?: unknown } = new Error('a', { cause: { text: KEY, socket: new Map() } });
		error.own = error;
		removeKeyFrom(error, remove);
		assert.ok(!inspect(error, { depth: 20 }).includes(KEY));
		removeKeyFrom(undefined, remove);
		removeKeyFrom(Object.freeze(new Error(KEY)), remove);
	});
});
