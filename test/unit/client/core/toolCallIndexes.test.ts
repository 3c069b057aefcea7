import assert from 'node:assert/strict';
import { type IndexedToolCall, ToolCallIndexes } from '../../../../src/client/core/toolCallIndexes.ts';
import { receivedToolCallSchema } from '../../../../src/contract/chatReply.ts';

interface Fragment {
	index?: unknown;
	id?: string;
	name?: string;
	text?: string;
}

const read = ({ name, text, ...fields }: Fragment) =>
	receivedToolCallSchema.parse({ ...fields, function: { name, arguments: text } });

/** Each call of a reply that comes in `chunks` as its id, its name and its arguments. */
function callsOf(...chunks: Fragment[][]): [string | undefined, string | undefined, string][] {
	const indexes = new ToolCallIndexes();
	return joined(chunks.flatMap(fragments => indexes.ofFragments(fragments.map(read))));
}

function joined(fragments: readonly IndexedToolCall[]): [string | undefined, string | undefined, string][] {
	const calls: [string | undefined, string | undefined, string][] = [];
	for (const { index, id, function: called } of fragments) {
		assert.ok(index <= calls.length, 'calls are counted in the order in which they begin');
		const call = calls[index] ?? [undefined, undefined, ''];
		calls[index] = [call[0] ?? (id || undefined), call[1] ?? called?.name, call[2] + (called?.arguments ?? '')];
	}
	return calls;
}

describe('ToolCallIndexes', () => {
	for (const [what, chunks, expected] of [
		[
			'two whole calls at one index, by their ids',
			[[{ index: 0, id: 'a', name: 'read', text: '{"n":1}' }], [{ index: 0, id: 'b', name: 'read', text: '{"n":2}' }]],
			[
				['a', 'read', '{"n":1}'],
				['b', 'read', '{"n":2}'],
			],
		],
		[
			'fragments after another id, which belong to its call',
			[
				[{ index: 0, id: 'a', name: 'read', text: '{"n":1}' }],
				[{ index: 0, id: 'b', name: 'read', text: '{"n"' }],
				[{ index: 0, text: ':2}' }],
			],
			[
				['a', 'read', '{"n":1}'],
				['b', 'read', '{"n":2}'],
			],
		],
		[
			'two calls at one index in one list, without ids',
			[
				[
					{ index: 0, name: 'read', text: '{"n":1}' },
					{ index: 0, name: 'read', text: '{"n":2}' },
				],
			],
			[
				[undefined, 'read', '{"n":1}'],
				[undefined, 'read', '{"n":2}'],
			],
		],
		[
			'two calls at one index one after the other, without ids',
			[[{ index: 0, name: 'read', text: '{"n":1}' }], [{ index: 0, name: 'list', text: '{}' }]],
			[
				[undefined, 'read', '{"n":1}'],
				[undefined, 'list', '{}'],
			],
		],
		[
			'one function called twice at one index, without ids',
			[
				[{ index: 0, name: 'read', text: '{"n":' }],
				[{ index: 0, text: '"}"}' }],
				[{ index: 0, name: 'read', text: '{"n":2}' }],
			],
			[
				[undefined, 'read', '{"n":"}"}'],
				[undefined, 'read', '{"n":2}'],
			],
		],
		[
			'calls without an index, each in a chunk of its own',
			[[{ name: 'read', text: '{"n":1}' }], [{ name: 'read', text: '{"n":2}' }], [{ name: 'list', text: '{}' }]],
			[
				[undefined, 'read', '{"n":1}'],
				[undefined, 'read', '{"n":2}'],
				[undefined, 'list', '{}'],
			],
		],
		[
			'calls without an index in one list, and their fragments by their places',
			[
				[{ name: 'read' }, { name: 'read' }],
				[{ text: '{"n"' }, { text: '{' }],
				[{ text: ':1}' }, { text: '}' }],
			],
			[
				[undefined, 'read', '{"n":1}'],
				[undefined, 'read', '{}'],
			],
		],
		[
			'a fragment without anything, which belongs to the last call',
			[
				[
					{ name: 'read', text: '{}' },
					{ name: 'list', text: '{"n"' },
				],
				[{ text: ':1}' }],
			],
			[
				[undefined, 'read', '{}'],
				[undefined, 'list', '{"n":1}'],
			],
		],
		[
			'interleaved fragments that have ids alone',
			[
				[{ id: 'a', name: 'read', text: '{' }],
				[{ id: 'b', name: 'list', text: '{' }],
				[{ id: 'a', text: '}' }],
				[{ id: 'b', text: '}' }],
			],
			[
				['a', 'read', '{}'],
				['b', 'list', '{}'],
			],
		],
		[
			'an index that is no number, which is none',
			[[{ index: '0', id: 'a', name: 'read', text: '{}' }], [{ index: '1', id: 'b', name: 'read', text: '{}' }]],
			[
				['a', 'read', '{}'],
				['b', 'read', '{}'],
			],
		],
		[
			'a name that every fragment repeats, with its id or without',
			[
				[{ index: 0, id: 'a', name: 'read', text: '{' }],
				[{ index: 0, id: 'a', name: 'read', text: '"n":1' }],
				[{ index: 0, name: 'read', text: '}' }],
				[{ index: 0, name: 'read', text: '' }],
			],
			[['a', 'read', '{"n":1}']],
		],
		[
			'a call that is sent once more as a whole, which is no other call',
			[
				[{ index: 0, id: 'a', name: 'read', text: '{"n"' }],
				[{ index: 0, id: 'a', text: ':1}' }],
				[{ index: 0, id: 'a', name: 'read', text: '{"n":1}' }],
			],
			[['a', 'read', '{"n":1}']],
		],
		[
			'one id for several calls, which only the first can have',
			[
				[{ index: 0, id: 'read', name: 'read', text: '{"n":1}' }],
				[{ index: 0, id: 'read', name: 'read', text: '{"n":2}' }],
			],
			[
				['read', 'read', '{"n":1}'],
				[undefined, 'read', '{"n":2}'],
			],
		],
		[
			'indexes that begin at one or leave some out',
			[
				[{ index: 1, id: 'a', name: 'read', text: '{' }],
				[{ index: 3, id: 'b', name: 'list', text: '{}' }],
				[{ index: 1, text: '}' }],
			],
			[
				['a', 'read', '{}'],
				['b', 'list', '{}'],
			],
		],
		[
			'an id that comes late, and one that is empty',
			[[{ index: 0, id: '', name: 'read', text: '{' }], [{ index: 0, id: 'a' }], [{ index: 0, id: '', text: '}' }]],
			[['a', 'read', '{}']],
		],
	] as const) {
		it(`reads ${what}`, () => {
			assert.deepEqual(callsOf(...chunks.map(chunk => [...chunk])), expected);
		});
	}

	it('counts the calls of a whole reply by their places, whatever their indexes are', () => {
		const calls = [
			{ index: 0, name: 'read', text: '' },
			{ index: 0, name: 'read', text: '' },
			{ index: -5, name: 'list', text: '{}' },
		];
		assert.deepEqual(joined(new ToolCallIndexes().ofWhole(calls.map(read))), [
			[undefined, 'read', ''],
			[undefined, 'read', ''],
			[undefined, 'list', '{}'],
		]);
	});

	it('refuses more calls than a reader could keep', () => {
		const calls = Array.from({ length: 1025 }, () => read({ name: 'read', text: '{}' }));
		assert.throws(() => new ToolCallIndexes().ofWhole(calls), { code: 'bad-response' });
	});
});
