import assert from 'node:assert/strict';
import {
	isOnOtherMachine,
	isSameRepository,
	readRemoteUrl,
	repositoryKey,
	withoutCredentials,
} from '../../../src/base/remoteUrl.ts';
import { processorMs } from '../../support/processorTime.ts';

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

describe('an address', () => {
	it('is shown without a password', () => {
		assert.equal(withoutCredentials('https://user:se@cret@host.example/a/b'), 'https://host.example/a/b');
		assert.equal(withoutCredentials('https:\\\\user:secret@host.example/a'), 'https:\\\\host.example/a');
		assert.equal(withoutCredentials('ht\ntps:user:secret@host.example/a'), 'https://host.example/a');
		assert.equal(withoutCredentials('git@host.example:a/b'), 'git@host.example:a/b');
		assert.equal(withoutCredentials('ssh://git@host.example/a/b'), 'ssh://git@host.example/a/b');
		assert.equal(withoutCredentials('/srv/git/a@b'), '/srv/git/a@b');
	});

	it('of a directory on another machine is told from one of this machine', () => {
		for (const address of [
			'\\\\host\\share\\widgets',
			'//host/share/widgets',
			' \\/host/share',
			'\\\\?\\UNC\\host\\share',
			'file://host/share/widgets',
			'file:////host/share/widgets',
			'FILE:///%5C%5Chost/share',
			'file:\\\\host\\share',
		]) {
			assert.ok(isOnOtherMachine(address), address);
		}
		for (const address of [
			'/srv/git/widgets.git',
			'C:\\git\\widgets',
			'C:/git/w',
			'../widgets',
			'file:///srv/git/widgets.git',
			'file:///C:/git/widgets',
			'file://localhost/srv/git',
		]) {
			assert.ok(!isOnOtherMachine(address), address);
		}
	});
});

describe('the key of a repository', () => {
	it('is one for every way of writing its address', () => {
		const key = repositoryKey('https://host.example/acme/widgets');
		for (const address of [
			'https://host.example/acme/widgets.git',
			'http://Host.example/Acme/widgets/',
			'git@host.example:acme/widgets.git',
			'ssh://git@host.example/acme/widgets',
			'https://user:secret@host.example/acme/widgets.git',
		]) {
			assert.equal(repositoryKey(address), key, address);
		}
		assert.equal(repositoryKey('file:///projects/widgets'), repositoryKey('/projects/widgets/'));
	});

	it('tells repositories apart, and is none for what names none', () => {
		assert.notEqual(
			repositoryKey('https://host.example/acme/widgets'),
			repositoryKey('https://host.example/acme/widgets2'),
		);
		assert.notEqual(repositoryKey('/projects/widgets'), repositoryKey('/projects/Widgets'));
		assert.notEqual(repositoryKey('/projects/widgets'), repositoryKey('/projects/widgets.git'));
		assert.equal(repositoryKey(''), undefined);
		assert.equal(repositoryKey('ext::sh -c x'), undefined);
		assert.ok(!isSameRepository('ext::sh -c x', 'ext::sh -c y'));
		assert.ok(isSameRepository('ext::sh -c x', 'ext::sh -c x'));
	});

	it('takes linear time for an address with slashes without end', () => {
		const address = `https://host.example/${'/'.repeat(500_000)}widgets`;
		const spent = processorMs(() => assert.ok(isSameRepository(address, `${address}//`)));
		assert.ok(spent < 500, `${spent} ms`);
	});
});
