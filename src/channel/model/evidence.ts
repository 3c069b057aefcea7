import { isDeeperThan } from '../../base/json.ts';
import type { Attested } from '../../client/types.ts';
import type { RawView } from './protocol.ts';

/** Characters of one piece that a page shows; the export has all. */
export const MAXIMUM_SHOWN = 200_000;
/** Indenting what is nested more deeply would take many times its own room. */
const MAXIMUM_LEVELS = 32;

/** What was received, field by field, in a form that can be read. */
export function rawViews({ attestation }: Pick<Attested, 'attestation'>): RawView[] {
	const { report_json: report, gpu_eat: token, report: _, ...rest } = attestation;
	return [
		{ name: 'report_json', ...shown(indented(report)) },
		...(token === undefined || token === null ? [] : [{ name: 'gpu_eat', ...shown(text(token)) }]),
		{ name: harmlessLine(Object.keys(rest).join(', ')), ...shown(text(rest)) },
	];
}

/** One line of a text of others. */
export function harmlessLine(value: string): string {
	return visible(value.replace(/\s+/g, ' ')).slice(0, 500);
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

function indented(json: string): string {
	try {
		const value: unknown = JSON.parse(json);
		return isDeeperThan(value, MAXIMUM_LEVELS) ? json : text(value);
	} catch {
		return json;
	}
}

function shown(value: string): Pick<RawView, 'text' | 'isCut'> {
	return { text: visible(value.slice(0, MAXIMUM_SHOWN)), isCut: value.length > MAXIMUM_SHOWN };
}

/** Characters that reorder or hide others, and control what shows them, are written out. */
function visible(value: string): string {
	return value
		.toWellFormed()
		.replace(
			/[[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]--[\n\t]]/gv,
			found => `\\u{${found.codePointAt(0)?.toString(16)}}`,
		);
}
