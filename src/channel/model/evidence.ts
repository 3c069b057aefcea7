import { isDeeperThan } from '../../base/json.ts';
import type { Attested, Verdict } from '../../client/types.ts';
import type { Health } from '../../contract/channel.ts';
import type { AttestationResult } from './places.ts';
import type { RawView } from './protocol.ts';

/** The maximum length of one piece on the page, in UTF-16 code units; the export contains all of it. */
export const MAXIMUM_SHOWN_EVIDENCE = 200_000;
/** JSON that is nested more deeply is not indented, because the indentation would take many times its size. */
const MAXIMUM_LEVELS = 32;

/** Returns the received record field by field in a readable form. */
export function rawViews({ attestation }: Pick<Attested, 'attestation'>): RawView[] {
	const { report_json: report, gpu_eat: token, report: _, ...rest } = attestation;
	return [
		{ name: 'report_json', ...shown(indented(report)) },
		...(token === undefined || token === null ? [] : [{ name: 'gpu_eat', ...shown(text(token)) }]),
		{ name: harmlessLine(Object.keys(rest).join(', ')), ...shown(text(rest)) },
	];
}

/** Makes one harmless line from a foreign text. */
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
	return { text: visible(value.slice(0, MAXIMUM_SHOWN_EVIDENCE)), isCut: value.length > MAXIMUM_SHOWN_EVIDENCE };
}

/** Writes out characters that reorder or hide others or control the display. */
function visible(value: string): string {
	return value
		.toWellFormed()
		.replace(
			/[[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]--[\n\t]]/gv,
			found => `\\u{${found.codePointAt(0)?.toString(16)}}`,
		);
}

export interface ExportedReport extends AttestationResult {
	/** The verdicts, each with its reason as it was shown. */
	verdicts: readonly (Verdict & { reason: string })[];
	/** The connection's name for the user. */
	connection: string;
	/** In ISO 8601. */
	checkedAt: string;
	/** The verdict as it was shown. */
	summary: string;
	health?: Health;
}

/** Returns a JSON text with everything that was received and the result of each check. */
export function exportReport({ connection, checkedAt, summary, ...attested }: ExportedReport): string {
	const { address, verdicts, keyFingerprint, devices, attestation, health, needsSessionPerMessage } = attested;
	const fields = { format: 'errand-attestation-1', connection, address, checkedAt, summary };
	const findings = { health, needsSessionPerMessage, verdicts, keyFingerprint, devices, attestation };
	return `${JSON.stringify({ ...fields, ...findings }, undefined, '\t')}\n`;
}
