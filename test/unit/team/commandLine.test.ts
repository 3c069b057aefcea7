import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { numberOption, readCommandLine, readListenOptions, readPlace } from '../../../src/team/commandLine.ts';
import { makeCertificate } from '../../support/certificates.ts';

const refused = (action: () => unknown, sentence: RegExp) =>
	assert.throws(action, (error: Error) => {
		assert.equal(error.name, 'UserFacingError');
		assert.match(error.message, sentence);
		return true;
	});

describe('the command line of the service for a team', () => {
	it('has commands of one word and of two, with their arguments and options', () => {
		assert.deepEqual(readCommandLine(['serve', '--listen', '[::1]:0', '--behind-proxy']), {
			command: 'serve',
			arguments: [],
			values: { __proto__: null, listen: '[::1]:0', 'behind-proxy': true },
		});
		const join = readCommandLine(['team', 'join', 'engines', 'ada', '--database', 'postgres://x/y']);
		assert.ok(join !== 'help');
		assert.equal(join.command, 'team join');
		assert.deepEqual(join.arguments, ['engines', 'ada']);
		assert.equal(readCommandLine([]), 'help');
		assert.equal(readCommandLine(['serve', '--help']), 'help');
	});

	it('refuses what no command takes, by its name', () => {
		refused(() => readCommandLine(['dance']), /"dance"/);
		refused(() => readCommandLine(['constructor']), /"constructor"/);
		refused(() => readCommandLine(['user', 'drop', 'ada']), /"user drop"/);
		refused(() => readCommandLine(['user', 'add']), /takes NAME/);
		refused(() => readCommandLine(['migrate', 'now']), /no arguments/);
		refused(() => readCommandLine(['serve', '--slots', '2']), /"serve" has no option --slots/);
		refused(() => readCommandLine(['work', '--listen', 'x:1']), /"work" has no option --listen/);
		refused(() => readCommandLine(['serve', '--nonsense']), /--nonsense/);
	});

	it('reads places and numbers, or names the option', () => {
		assert.deepEqual(readPlace('metrics', '[::1]:9100'), { host: '::1', port: 9100 });
		for (const text of ['9100', ':9100', 'host:', 'host:99999', 'http://host:1', '::1:9100', '']) {
			refused(() => readPlace('metrics', text), /--metrics/);
		}
		assert.equal(numberOption('slots', undefined, 4, [1, 64]), 4);
		for (const text of ['0', '65', '1.5', 'x', '']) {
			refused(() => numberOption('slots', text, 4, [1, 64]), /--slots/);
		}
	});
});

describe('where a front end listens', () => {
	let folder: string;
	let cert: string;
	let key: string;

	before(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-tls-'));
		const certificate = makeCertificate({ hosts: ['service.example'] });
		cert = path.join(folder, 'cert.pem');
		key = path.join(folder, 'key.pem');
		writeFileSync(cert, certificate.cert);
		writeFileSync(key, certificate.key);
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	it('is loopback without TLS, and anywhere with it or behind a proxy', () => {
		assert.deepEqual(readListenOptions({}), { host: '127.0.0.1', port: 8443 });
		for (const listen of ['localhost:0', '127.0.0.2:0', '[::1]:0']) {
			assert.equal(readListenOptions({ listen }).tls, undefined);
		}
		assert.equal(readListenOptions({ listen: '0.0.0.0:80', 'behind-proxy': true }).host, '0.0.0.0');
		assert.ok(readListenOptions({ listen: '0.0.0.0:443', 'tls-cert': cert, 'tls-key': key }).tls);
	});

	it('is refused where tokens would cross a network in the clear', () => {
		for (const listen of ['0.0.0.0:80', '[::]:80', '10.0.0.1:80', 'service.example:80', 'localhost.example:80']) {
			refused(() => readListenOptions({ listen }), /Without TLS/);
		}
	});

	it('is refused with half a certificate, with one that is not there, and with the key of another', () => {
		refused(() => readListenOptions({ 'tls-cert': cert }), /belong together/);
		refused(() => readListenOptions({ 'tls-cert': path.join(folder, 'none'), 'tls-key': key }), /--tls-cert: .*none/);
		refused(() => readListenOptions({ 'tls-cert': key, 'tls-key': cert }), /no certificate with its key/);
		const other = path.join(folder, 'other.pem');
		writeFileSync(other, makeCertificate({ hosts: ['other.example'] }).key);
		refused(() => readListenOptions({ 'tls-cert': cert, 'tls-key': other }), /no certificate with its key/);
	});
});
