import { parseJson } from '../../base/json.ts';
import { isStreamEnd } from '../../contract/chatReply.ts';
import { isPage } from '../../contract/errorBody.ts';
import type { SseEvent, StrayLineReader } from './sse.ts';

/** A field, or a single word, of which the second group is undefined. */
const FIELD = /^([!-9;-~]+)(?::\s*(.*))?$/s;

/** Words in a field's name, or a word by itself, by which a server complains. */
const COMPLAINT =
	/error|exception|fail|fatal|panic|abort|timeout|unavailable|unauthori[sz]ed|forbidden|denied|refused|overloaded|exceeded|killed|terminated|crashed/i;
const SAYING = /^(message|detail|reason)$/i;

/** Three words in a row, which no value of a field for programs has. */
const SENTENCE = /(\p{L}[\p{L}'’-]*[,;]?\s+){2}\p{L}/u;
/** How far a value is searched for them, because that takes the square of the length. */
const MAXIMUM_SEARCHED = 500;

/**
 * Reads the lines of a stream that belong to no event. Some servers write errors in this way, or JSON texts without
 * `data:`, such as a whole reply or one JSON text a line.
 */
export class StrayLines implements StrayLineReader {
	/** The lines so far of a JSON text that has begun. */
	private json: string[] = [];
	private length = 0;

	get held(): number {
		return this.length;
	}

	/** Fields that mean nothing here are ignored, as the standard says. */
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

	/** The JSON text that has begun may be incomplete. */
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
