import assert from 'node:assert/strict';
import { sseComment, sseEvent } from '../../../src/base/streamText.ts';

// What `streamText` does with connections and readers is tested behind the service’s routes, in streamReply.test.ts.
describe('a server-sent event', () => {
	it('cannot be ended by what is in its data', () => {
		assert.equal(
			sseEvent({ text: 'a\n\nevent: b\r\r' }, 'log'),
			'event: log\ndata: {"text":"a\\n\\nevent: b\\r\\r"}\n\n',
		);
	});

	it('has a name only where one is given, and a comment has none', () => {
		assert.equal(sseEvent('x'), 'data: "x"\n\n');
		assert.equal(sseComment('alive'), ': alive\n\n');
	});
});
