import assert from 'node:assert/strict';
import { readRemoteUrl } from '../../../../src/tasks/model/cloneUrl.ts';

const url = (text: string) => ({ kind: 'url', url: text });

describe('a remote’s URL', () => {
	for (const [remote, clone] of [
		['https://host.example/acme/widgets.git', 'https://host.example/acme/widgets.git'],
		['https://user:secret@host.example/acme/widgets', 'https://host.example/acme/widgets'],
		['https://token@host.example:8443/acme/widgets.git?x=1#y', 'https://host.example:8443/acme/widgets.git'],
		['git@host.example:acme/widgets.git', 'https://host.example/acme/widgets.git'],
		['host.example:/acme/widgets.git', 'https://host.example/acme/widgets.git'],
		['ssh://git@host.example:2222/acme/widgets.git', 'https://host.example/acme/widgets.git'],
		['ssh://git:secret@host.example/acme/widgets.git', 'https://host.example/acme/widgets.git'],
		['git+ssh://git@host.example/acme/widgets.git', 'https://host.example/acme/widgets.git'],
		['git://host.example/acme/widgets.git', 'https://host.example/acme/widgets.git'],
	] as const) {
		it(`${remote.replaceAll('secret', '…')} is cloned from ${clone}`, () => {
			assert.deepEqual(readRemoteUrl(remote), url(clone));
		});
	}

	for (const path of [
		'/srv/git/widgets.git',
		'../widgets.git',
		'file:///srv/git/widgets.git',
		'C:\\git\\widgets',
		'C:/git/w',
		'./a:b',
	]) {
		it(`${path} is a directory`, () => {
			assert.deepEqual(readRemoteUrl(path), { kind: 'directory', path });
		});
	}

	for (const remote of [
		'',
		'ext::sh -c id',
		'fd::17',
		'-oProxyCommand=id',
		'gopher://host.example/x',
		'https://',
		'https://host.example/',
	]) {
		it(`“${remote}” is nothing that can be cloned`, () => {
			assert.deepEqual(readRemoteUrl(remote), { kind: 'unknown' });
		});
	}

	it('never keeps credentials', () => {
		for (const remote of [
			'https://u:secret@h.example/a',
			'ssh://u:secret@h.example/a',
			'http://secret@h.example/a',
			'u:secret@h.example:a/b',
		]) {
			assert.doesNotMatch(JSON.stringify(readRemoteUrl(remote)), /secret@/);
		}
	});
});
