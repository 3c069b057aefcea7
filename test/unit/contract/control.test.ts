import assert from 'node:assert/strict';
import path from 'node:path';
import { proofNonceSchema, proofOf, stateFolderOf } from '../../../src/contract/control.ts';

describe('proofOf', () => {
	it('is the HMAC that both sides agree on', () => {
		// RFC 2104 with SHA-256 over "errand-proof\nhttp://127.0.0.1:1\nnonce", computed with another program.
		assert.equal(
			proofOf('token', 'http://127.0.0.1:1', 'nonce'),
			'1011f67c4de18e9b97dd4bad48fc3fe6bbab9cc9f5f581fcc5e212186d54054f',
		);
	});
});

describe('proofNonceSchema', () => {
	it('takes 16 to 64 bytes as base64url', () => {
		for (const length of [16, 17, 32, 64]) {
			assert.ok(proofNonceSchema.safeParse(Buffer.alloc(length).toString('base64url')).success, String(length));
		}
		for (const length of [0, 15, 65]) {
			assert.ok(!proofNonceSchema.safeParse(Buffer.alloc(length).toString('base64url')).success, String(length));
		}
		assert.ok(!proofNonceSchema.safeParse(`${'A'.repeat(21)}=`).success);
	});
});

describe('stateFolderOf', () => {
	it('follows the platform, unless it is told otherwise', () => {
		assert.equal(stateFolderOf({}, 'linux', '/home/u'), '/home/u/.local/state/errand');
		assert.equal(stateFolderOf({ XDG_STATE_HOME: '/state' }, 'linux', '/home/u'), '/state/errand');
		assert.equal(stateFolderOf({ XDG_STATE_HOME: 'relative' }, 'linux', '/home/u'), '/home/u/.local/state/errand');
		assert.equal(stateFolderOf({}, 'darwin', '/Users/u'), '/Users/u/Library/Application Support/errand');
		assert.equal(stateFolderOf({ LOCALAPPDATA: '/local' }, 'win32', '/u'), path.join('/local', 'errand'));
		assert.equal(stateFolderOf({ ERRAND_STATE_HOME: '/own', XDG_STATE_HOME: '/state' }, 'linux', '/u'), '/own');
	});
});
