import assert from 'node:assert/strict';
import { channelHistory } from '../../../../src/chat/model/channelHistory.ts';

describe('the history for the channel', () => {
	it('begins with the user’s instructions, where there are some', () => {
		const asked = [{ role: 'user' as const, content: 'Why?' }];
		assert.deepEqual(channelHistory(asked, ' '), asked);
		assert.deepEqual(channelHistory(asked, 'Be brief.'), [{ role: 'system', content: 'Be brief.' }, ...asked]);
	});

	it('refuses what the channel has no form for, rather than leaving it out', () => {
		const image = { role: 'user' as const, content: [{ type: 'text' as const, text: 'a' }] };
		assert.throws(() => channelHistory([image], ''), TypeError);
		assert.throws(() => channelHistory([{ role: 'tool', content: 'a', tool_call_id: '1' }], ''), TypeError);
	});
});
