import { ClientError } from '../../base/errors.ts';

/** The ways in which services say that a request has more tokens than the model accepts. */
const CODE = /context.?length|context.?window|prompt.?too.?long/i;
const WORDS = /context.?(length|window|size|limit)|too many (input |prompt )?tokens|reduce the length/i;

/** Words that also say so, unless they are about something other than the length of the request. */
const VAGUE = /\b(prompt|input|conversation|messages|request)\b[^.]{0,40}\b(too (long|large)|exceeds?)\b/i;
const OTHER =
	/\b(output|completion|images?|files?|audio|video|spend\w*|budget|quota|credits?|balance|billing|cost|rate)\b|max_\w*tokens|per (second|minute|hour|day|month)\b/i;

/**
 * Returns the error `too-large` for a request that was refused as too long, whatever the status. It is final: the same
 * request would be refused again.
 */
export function tooLong(error: unknown): ClientError | undefined {
	if (!ClientError.is(error)) {
		return undefined;
	}
	const { code, status, serviceCode = '', serviceMessage = '' } = error;
	const isRefusal = code === 'invalid-request' || code === 'server' || code === 'upstream';
	return isRefusal && (CODE.test(serviceCode) || isAboutLength(serviceMessage))
		? new ClientError('too-large', error.message, { status, serviceMessage, cause: error })
		: undefined;
}

const isAboutLength = (said: string): boolean => WORDS.test(said) || (VAGUE.test(said) && !OTHER.test(said));
