import assert from 'node:assert/strict';
import { readServiceAddress } from '../../../../src/tasks/model/serviceAddress.ts';

describe('an address that a service names', () => {
	const read = (text: string, allowsLoopback = true) => readServiceAddress(text, { allowsLoopback })?.href;

	it('is opened if it is an https address', () => {
		assert.equal(read(' https://service.example/pull/1#files ', false), 'https://service.example/pull/1#files');
		assert.equal(read('https://[::1]:8443/x', false), 'https://[::1]:8443/x');
	});

	it('is opened as http only on this machine, where that is allowed', () => {
		assert.equal(read('http://127.0.0.1:3000/'), 'http://127.0.0.1:3000/');
		assert.equal(read('http://localhost:3000/'), 'http://localhost:3000/');
		assert.equal(read('http://localhost:3000/', false), undefined);
		assert.equal(read('http://service.example/'), undefined);
		assert.equal(read('http://localhost.example/'), undefined);
	});

	for (const address of [
		'',
		'/pull/1',
		'javascript:alert(1)',
		'file:///etc/passwd',
		'vscode://errand.errand/start',
		'command:workbench.action.terminal.new',
		'data:text/html,x',
		'https://',
		'https://user@service.example/',
		'https://user:secret@service.example/',
		'https://service.example/a\u202eb',
		'https://service.example/a\u200bb',
		'https://service.example/a b',
		'https://service.example/a\nb',
		`https://service.example/${'x'.repeat(2000)}`,
	]) {
		it(`is not opened as ${JSON.stringify(address.slice(0, 60))}`, () => {
			assert.equal(read(address), undefined);
		});
	}
});
