// Reads the address of a server as people type and paste it, and extracts a key from it.

import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import { withoutEndSlashes } from '../../base/endSlashes.ts';
import { isNearHost } from '../../base/privateAddress.ts';
import { decodedPart } from '../../base/remoteUrl.ts';

export interface TypedAddress {
	/** The text without the key, as it may be shown in a box. Empty if there was only a key. */
	text: string;
	/** The key that was in the text. */
	key?: string;
	/**
	 * The address to ask: http or https, without credentials, query, fragment and trailing slash. Absent if the text is
	 * not an address.
	 */
	url?: string;
}

/** A key that begins like those of the usual services, anywhere in a text. */
const KEY = /(?<![a-z])(?:(?:sk|rk|gsk|hf|xai|nvapi|csk|fw|tgp|r8)[-_]|AIza)(?=[\w-]*\d)[\w-]{16,}/;
const EVERY_KEY = new RegExp(KEY, 'g');

/** A word that looks like a key: long, of letters and digits, and not the name of a host. */
const OPAQUE = /^(?=.*\d)(?=.*[a-z])[\w+=-]{28,}$/i;

/** A key that is named as one, as in a header or in a command that was copied from a manual. */
const NAMED_KEY = /(?:\bbearer\s+|(?:api[-_]?key|token)["']?\s*[:=]\s*["']?)([\x21-\x7e]+?)(?=["'\s&#]|$)/i;

/** The paths of requests, which people copy together with the address before them. */
const ENDPOINT = /\/(?:chat\/completions|completions|responses|embeddings|models)$/i;

const SCHEME = /^([a-z][a-z\d+.-]*):\/\//i;

/** Longer than any command that people copy, and short enough for what looks for keys in it, in characters. */
const MAXIMUM_TYPED = 10_000;

/** Reads typed or pasted text. A key is never part of the returned `text` and `url`. */
export function readTypedAddress(given: string): TypedAddress {
	const typed = given.slice(0, MAXIMUM_TYPED);
	const keys: string[] = [];
	const named = NAMED_KEY.exec(typed)?.[1];
	// A copied command may name a variable of the shell, which is not a key.
	if (named !== undefined && !/^[$<]/.test(named)) {
		keys.push(named);
	}
	let text = '';
	for (const word of typed.replace(NAMED_KEY, ' ').split(/[\s"'<>,;]+/)) {
		if (SCHEME.test(word) && !SCHEME.test(text)) {
			text = withoutKey(word, keys);
		} else if (OPAQUE.test(word) || KEY.exec(word)?.index === 0) {
			keys.push(word);
		} else if (text === '') {
			text = withoutKey(word, keys);
		}
	}
	const [key] = keys;
	const url = addressOf(text);
	return { text, ...defined({ key, url }) };
}

/** Removes keys from every part of an address in which one may be pasted, and adds them to `keys`. */
function withoutKey(word: string, keys: string[]): string {
	const scheme = SCHEME.exec(word)?.[0] ?? '';
	const [, userInfo = '', place = '', query = '', fragment = ''] =
		/^(?:([^/?#]*)@)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(word.slice(scheme.length)) ?? [];
	const [user = '', password = ''] = userInfo.split(/:(.*)/s);
	const parameters = [...new URLSearchParams(query)]
		.filter(([name, value]) => /key|token|secret/i.test(name) || isKey(value))
		.map(([, value]) => value);
	// A key that was pasted behind the address has become part of its path, and may have been pasted twice.
	const inPlace = place.match(EVERY_KEY) ?? [];
	const found = [decodedPart(password), decodedPart(user), ...parameters, isKey(fragment) ? fragment : '', ...inPlace];
	append(keys, found.filter(Boolean));
	return scheme + (inPlace.length === 0 ? place : place.replace(EVERY_KEY, '').replace(/\/{2,}/g, '/'));
}

/** Returns whether a word that may be a name is certainly a key. */
export function isCertainKey(word: string): boolean {
	return KEY.exec(word)?.index === 0 || /^(?=.*\d)(?=.*[a-z])[a-z\d]{28,}$/i.test(word);
}

function isKey(text: string): boolean {
	return OPAQUE.test(text) || KEY.test(text);
}

/** Without a scheme, an address on this machine or in a private network gets http, and any other address https. */
function addressOf(text: string): string | undefined {
	const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
	const parsed = URL.parse(scheme === undefined ? `http://${text}` : text);
	if (!parsed || parsed.hostname === '' || (scheme !== undefined && scheme !== 'http' && scheme !== 'https')) {
		return undefined;
	}
	if (scheme === undefined && !isWhole(parsed)) {
		return undefined;
	}
	const url = scheme === undefined && !isNearHost(parsed.hostname) ? new URL(`https://${text}`) : parsed;
	return url.origin + withoutEndSlashes(url.pathname).replace(ENDPOINT, '');
}

/** A single word without a port is more likely the beginning of a name than an address. */
function isWhole({ hostname, port }: URL): boolean {
	return hostname.includes('.') || hostname.includes(':') || hostname === 'localhost' || port !== '';
}
