import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { describeError, UserFacingError } from '../base/errors.ts';

const OTHERS = 0o077;
/** Far above any token; another file given by mistake is not read whole. */
const MAXIMUM_BYTES = 4_096;

/** Each has 32 random bytes. */
export function newToken(): string {
	return `sk-errand-${randomBytes(32).toString('base64url')}`;
}

/**
 * The token that stands in a file, for use by hand; the file is made when there is none. Throws a sentence when it is a
 * link, belongs to another user or can be read by one, or holds no token.
 */
export function tokenOfFile(file: string): string {
	const token = newToken();
	try {
		// Exclusive: follows no link, and what somebody else has made is read and checked instead.
		const descriptor = openSync(file, 'wx', 0o600);
		try {
			writeSync(descriptor, `${token}\n`);
		} finally {
			closeSync(descriptor);
		}
		return token;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
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
		// Not waiting: a pipe in the place of the file must not hold the start.
		descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	} catch (error) {
		const isLink = (error as NodeJS.ErrnoException).code === 'ELOOP';
		const reason = isLink ? 'is a symbolic link' : `cannot be read (${describeError(error)})`;
		throw new UserFacingError(`The token file ${file} ${reason}. Give the file itself with --token-file.`);
	}
	try {
		const status = fstatSync(descriptor);
		if (!status.isFile() || status.size > MAXIMUM_BYTES) {
			throw new UserFacingError(`${file} is no token file. Choose another with --token-file.`);
		}
		// On Windows the profile's own access list does this.
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
