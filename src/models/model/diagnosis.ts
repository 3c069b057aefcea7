// The report of a diagnosis: what was checked, what was found, what to do.
import { oneLine } from '../../base/plainText.ts';
import { redactText } from '../../base/redact.ts';

/** `note`: nothing is wrong, but it may matter. `unchecked`: the report says why. */
export type FindingState = 'fine' | 'problem' | 'note' | 'unchecked';

export interface DiagnosisFinding {
	state: FindingState;
	/** What was checked. */
	subject: string;
	found: string;
	/** What to do, where there is something. */
	step?: string | undefined;
}

export interface DiagnosisWords {
	title: string;
	/** The lines below the title. */
	head: readonly string[];
	states: Readonly<Record<FindingState, string>>;
	step: string;
}

const MAXIMUM_LINE = 600;

/** Returns the report as Markdown. No text in it, whoever wrote it, can add a line, a link or an image, or hold a key. */
export function diagnosisText(
	{ title, head, states, step }: DiagnosisWords,
	findings: readonly DiagnosisFinding[],
): string {
	const lines = [`# ${plain(title)}`, '', ...head.map(plain), ''];
	for (const { state, subject, found, step: todo } of findings) {
		const mark = state === 'problem' ? `**${states[state]}**` : states[state];
		lines.push(`- ${mark} · ${plain(subject)}: ${plain(found)}`);
		if (todo !== undefined && todo !== '') {
			lines.push(`  - ${step} ${plain(todo)}`);
		}
	}
	return [...lines, ''].join('\n');
}

function plain(text: string): string {
	// A backslash would take the effect of the one that is put before the next character.
	return oneLine(redactText(text), MAXIMUM_LINE).replaceAll(/[\\<[\]`]/g, '\\$&');
}
