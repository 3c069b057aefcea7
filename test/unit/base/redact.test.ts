import assert from 'node:assert/strict';
import { createLogger } from '../../../src/base/logger.ts';
import { type LogFields, redactFields, redactText } from '../../../src/base/redact.ts';

describe('redaction', () => {
	it('drops every field that is not on the list', () => {
		const fields = { status: 200, prompt: 'secret plan', key: 'sk-1234567890' } as LogFields;
		assert.equal(redactFields(fields), ' status=200');
	});

	it('takes keys, bearer tokens, web tokens and credentials in addresses out of reasons', () => {
		for (const secret of [
			'sk-abcdef123456',
			'Bearer abc.def-123',
			'eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl',
			'https://user:password@host/path',
			'https://password@host/path',
		]) {
			const text = redactText(`failed with ${secret} at last`);
			assert.doesNotMatch(text, /abcdef|abc\.def|eyJ|password/, text);
			assert.match(text, /failed with .*\[redacted\]/);
		}
	});

	it('keeps one line, of bounded length, without control characters', () => {
		const line = redactFields({ reason: `one\ntwo\u001b[31m\u2028three${'x'.repeat(5000)}` });
		assert.doesNotMatch(line, /[\p{Cc}\u2028]/u);
		assert.doesNotMatch(redactFields({ reason: 'a\u202eb\u3164c\u{e0041}' }), /[\p{Default_Ignorable_Code_Point}]/u);
		assert.ok(line.length < 300);
	});

	it('stands before every sink', () => {
		const lines: string[] = [];
		const logger = createLogger('client', (level, line) => lines.push(`${level} ${line}`));
		logger.log('warn', 'request failed', { path: '/api/tasks', reason: 'key sk-abcdef123456 refused' });
		assert.deepEqual(lines, ['warn [client] request failed path=/api/tasks reason="key [redacted] refused"']);
	});
});
