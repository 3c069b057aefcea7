import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { describeError, systemErrorCode, UserFacingError } from '../base/errors.ts';

const OTHERS = 0o077;
/** This is far above the length of any token, so that another file given by mistake is not read completely. */
const MAXIMUM_BYTES = 4_096;

/** Returns a new token made of 32 random bytes. */
export function newToken(): string {
	return `sk-errand-${randomBytes(32).toString('base64url')}`;
}

/**
 * Returns the token in the file; if there is no such file, it is created with a new token.
 * @throws UserFacingError if the file is a link, belongs to another user or can be read by one, or contains no token.
 */
export function tokenOfFile(file: string): string {
	const token = newToken();
	try {
		// The exclusive flag does not follow links. A file that exists already is read and checked instead.
		const descriptor = openSync(file, 'wx', 0o600);
		try {
			writeSync(descriptor, `${token}\n`);
		} finally {
			closeSync(descriptor);
		}
		return token;
	} catch (error) {
		if (systemErrorCode(error) !== 'EEXIST') {
			throw new UserFacingError(
				`The token file ${file} cannot be made (${describeError(error)}). Choose another with --token-file.`,
			);
		}
	}
	return readToken(file);
}

function readToken(file: string): string {
	let descriptor: number;
	try {
		// Opening must not block: otherwise a pipe in place of the file would hang the start.
		descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	} catch (error) {
		const isLink = systemErrorCode(error) === 'ELOOP';
		const reason = isLink ? 'is a symbolic link' : `cannot be read (${describeError(error)})`;
		throw new UserFacingError(`The token file ${file} ${reason}. Give the file itself with --token-file.`);
	}
	try {
		const status = fstatSync(descriptor);
		if (!status.isFile() || status.size > MAXIMUM_BYTES) {
			throw new UserFacingError(`${file} is no token file. Choose another with --token-file.`);
		}
		// On Windows, the access control list of the user's profile protects the file.
		if (typeof process.getuid === 'function') {
			if (status.uid !== process.getuid()) {
				throw new UserFacingError(`The token file ${file} belongs to another user. Choose one of your own.`);
			}
			if ((status.mode & OTHERS) !== 0) {
				throw new UserFacingError(
					`The token file ${file} is open to other users. Run chmod 600 on it; if somebody may have read it, delete it for a new token.`,
				);
			}
		}
		const token = readFileSync(descriptor, 'utf8').trim();
		if (!/^[\x21-\x7e]{32,}$/.test(token)) {
			throw new UserFacingError(
				`The token file ${file} holds no token: 32 or more characters without spaces. Delete it for a new one.`,
			);
		}
		return token;
	} finally {
		closeSync(descriptor);
	}
}
