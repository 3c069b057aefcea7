import { parseJson } from '../../base/json.ts';
import { isStreamEnd } from '../../contract/chatReply.ts';
import { isPage } from '../../contract/errorBody.ts';
import type { SseEvent, StrayLineReader } from './sse.ts';

/** A field, or a single word, for which the second group is undefined. */
const FIELD = /^([!-9;-~]+)(?::\s*(.*))?$/s;

/** Words with which a server complains, in a field's name or alone. */
const COMPLAINT =
	/error|exception|fail|fatal|panic|abort|timeout|unavailable|unauthori[sz]ed|forbidden|denied|refused|overloaded|exceeded|killed|terminated|crashed/i;
const SAYING = /^(message|detail|reason)$/i;

/** Three consecutive words, which no value of a field for programs has. */
const SENTENCE = /(\p{L}[\p{L}'’-]*[,;]?\s+){2}\p{L}/u;
/** The length up to which a value is searched for a sentence, because the search takes quadratic time. */
const MAXIMUM_SEARCHED = 500;

/**
 * Reads the lines of a stream that belong to no event. Some servers write errors this way, or JSON texts without
 * `data:`, such as a whole reply or one JSON text per line.
 */
export class StrayLines implements StrayLineReader {
	/** The lines of an unfinished JSON text. */
	private json: string[] = [];
	private length = 0;

	get held(): number {
		return this.length;
	}

	/** Fields without a meaning here are ignored, as the standard requires. */
	read(line: string): SseEvent | undefined {
		const text = line.trim();
		if (this.json.length > 0 || beginsJson(text)) {
			const isWhole = this.json.length === 0 ? parseJson(text) !== undefined : /^[}\]]/.test(line);
			this.json.push(line);
			this.length += line.length;
			return isWhole ? this.take() : undefined;
		}
		if (isStreamEnd(text) || isPage(text)) {
			return { data: text };
		}
		const [, name, value = ''] = FIELD.exec(text) ?? [];
		if (name === undefined) {
			return /\p{L}/u.test(text) ? { event: 'error', data: text } : undefined;
		}
		if (name.toLowerCase() === 'data') {
			return { data: value };
		}
		if (COMPLAINT.test(name) || (SAYING.test(name) && value !== '')) {
			return { event: 'error', data: value || name };
		}
		if (beginsJson(value)) {
			return parseJson(value) === undefined ? undefined : { data: value };
		}
		return SENTENCE.test(value.slice(0, MAXIMUM_SEARCHED)) ? { event: 'error', data: text } : undefined;
	}

	/** Returns the JSON text that has begun, which may be incomplete. */
	take(): SseEvent | undefined {
		if (this.json.length === 0) {
			return undefined;
		}
		const data = this.json.join('\n').trim();
		this.json = [];
		this.length = 0;
		return { data };
	}
}

function beginsJson(text: string): boolean {
	return /^(\{|\[\s*([[{"]|$))/.test(text);
}
