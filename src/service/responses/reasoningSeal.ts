import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { replaceFileSync } from '../../base/files.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_LENGTH = 32;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;
/** The prefix names the format, so that a later one can be distinguished. It is authenticated with the rest. */
const FORM = 'errand1.';
const KEY_FILE = 'reasoning.key';
const OTHERS = 0o077;

/**
 * Encrypts a model's reasoning into a text that the client stores and sends back but cannot read or change (contract:
 * inference.md, Zero data retention 3). The service itself stores nothing of it.
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

	/** Returns undefined if the text was not sealed with this key or has been changed since. */
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
 * Opens the seal with the key in the state folder, which is created on first use. A key file that contains no key, or
 * that others can read, is moved aside and `onReplaced` is called; everything sealed with it is then refused.
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
	// The write is atomic: a crash must not leave half a key.
	replaceFileSync(file, key, { flush: true });
	return new ReasoningSeal(key);
}

function readKey(file: string): Buffer | 'absent' | 'unusable' {
	const status = lstatSync(file, { throwIfNoEntry: false });
	if (status === undefined) {
		return 'absent';
	}
	// On Windows, the access control list of the user's profile protects the file.
	const isOpen = process.platform !== 'win32' && (status.mode & OTHERS) !== 0;
	if (!status.isFile() || status.size !== KEY_LENGTH || isOpen) {
		return 'unusable';
	}
	return readFileSync(file);
}
