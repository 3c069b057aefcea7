import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { replaceFileSync } from '../../base/files.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_LENGTH = 32;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;
/** Names the form, so that a later one can be told from it; it is authenticated with the rest. */
const FORM = 'errand1.';
const KEY_FILE = 'reasoning.key';
const OTHERS = 0o077;

/**
 * Turns a model's reasoning into a text that the caller keeps and sends back and cannot read or change (contract:
 * inference.md, Zero data retention 3). Nothing is kept here: what was sealed is in the caller's hands alone.
 */
export class ReasoningSeal {
	private readonly key: Buffer;

	constructor(key: Buffer) {
		this.key = key;
	}

	seal(reasoning: string): string {
		const iv = randomBytes(IV_LENGTH);
		const cipher = createCipheriv(ALGORITHM, this.key, iv).setAAD(Buffer.from(FORM));
		const sealed = Buffer.concat([iv, cipher.update(reasoning, 'utf8'), cipher.final(), cipher.getAuthTag()]);
		return FORM + sealed.toString('base64url');
	}

	/** Undefined for what was not sealed with this key, or was changed since. */
	open(text: string): string | undefined {
		const sealed = Buffer.from(text.slice(FORM.length), 'base64url');
		if (!text.startsWith(FORM) || sealed.length < IV_LENGTH + TAG_LENGTH) {
			return undefined;
		}
		const tag = sealed.subarray(-TAG_LENGTH);
		const decipher = createDecipheriv(ALGORITHM, this.key, sealed.subarray(0, IV_LENGTH), { authTagLength: TAG_LENGTH })
			.setAAD(Buffer.from(FORM))
			.setAuthTag(tag);
		try {
			return decipher.update(sealed.subarray(IV_LENGTH, -TAG_LENGTH), undefined, 'utf8') + decipher.final('utf8');
		} catch {
			return undefined;
		}
	}
}

/**
 * The seal with the key of the state folder, which is made on the first use. A key file that does not hold a key, or
 * that others could read, is moved aside and `onReplaced` told; what was sealed with it is then refused.
 */
export function openReasoningSeal(stateFolder: string, onReplaced: () => void): ReasoningSeal {
	const file = path.join(stateFolder, KEY_FILE);
	const found = readKey(file);
	if (found instanceof Buffer) {
		return new ReasoningSeal(found);
	}
	if (found === 'unusable') {
		renameSync(file, `${file}.${Date.now()}.unusable`);
		onReplaced();
	}
	const key = randomBytes(KEY_LENGTH);
	// Whole or not at all: a crash in the middle must not leave half a key.
	replaceFileSync(file, key, { flush: true });
	return new ReasoningSeal(key);
}

function readKey(file: string): Buffer | 'absent' | 'unusable' {
	const status = lstatSync(file, { throwIfNoEntry: false });
	if (status === undefined) {
		return 'absent';
	}
	// On Windows the profile's own access list does this.
	const isOpen = process.platform !== 'win32' && (status.mode & OTHERS) !== 0;
	if (!status.isFile() || status.size !== KEY_LENGTH || isOpen) {
		return 'unusable';
	}
	return readFileSync(file);
}
