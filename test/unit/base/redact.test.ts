import assert from 'node:assert/strict';
import { createLogger } from '../../../src/base/logger.ts';
import { type LogFields, redactFields, redactText } from '../../../src/base/redact.ts';
import { processorMs } from '../../support/processorTime.ts';

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
			'qcl_8d03b6e5a1c4',
			'tok-0123456789abcdefCLOUD',
			'cloudtoken_Harbour9Beacon8Gull3-more_of-it',
			'Basic dXNlcjpwYXNzd29yZA==',
		]) {
			const text = redactText(`failed with ${secret} at last`);
			assert.doesNotMatch(text, /abcdef|abc\.def|eyJ|password|qcl|tok-|Harbour|more|dXNl/, text);
			assert.match(text, /failed with .*\[redacted\]/);
		}
	});

	it('leaves what is no secret as it is', () => {
		for (const text of [
			'task c0a8f1e2-3b4d-4c5e-a1b2-0123456789ab ended',
			'ENOENT: no such file, /home/me/errand-conversations/2026-01-02.json',
			'POST /chat/completions answered with HTTP 502',
			'certificate-chain-validated is false',
		]) {
			assert.equal(redactText(text), text);
		}
	});

	it('takes a secret out before a text is cut, wherever that would be', () => {
		for (const secret of ['sk-Tide7Lantern', 'qcl_Harbour9Beacon8', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi.c2lnbmF0dXJl']) {
			for (let before = 150; before < 420; before++) {
				const line = redactFields({ reason: `Bearer ${'x'.repeat(before)} ${secret}` });
				assert.doesNotMatch(line, /Tide|Harb|eyJ|sk-|qcl/);
			}
		}
	});

	it('takes no longer than a text is long', () => {
		for (const unit of ['-eyJ', 'eyJa.', 'Bearer ', '//', '//a', 'aa_', 'aa-a1', 'sk-', 'a'.repeat(40)]) {
			const spent = processorMs(() => {
				redactText(unit.repeat(200_000 / unit.length));
			});
			assert.ok(spent < 2_000, `${unit}: ${spent} ms`);
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
