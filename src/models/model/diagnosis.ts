// The report of a diagnosis: the checks, the findings, and the next steps.
import { oneLine } from '../../base/plainText.ts';
import { redactText } from '../../base/redact.ts';

/** `note`: nothing is wrong, but it may matter. `unchecked`: the report says why. */
export type FindingState = 'fine' | 'problem' | 'note' | 'unchecked';

export interface DiagnosisFinding {
	state: FindingState;
	subject: string;
	found: string;
	step?: string | undefined;
}

export const findingsOn = (subject: string) => ({
	fine: (found: string): DiagnosisFinding => ({ state: 'fine', subject, found }),
	problem: (found: string, step?: string): DiagnosisFinding => ({ state: 'problem', subject, found, step }),
	note: (found: string, step?: string): DiagnosisFinding => ({ state: 'note', subject, found, step }),
	unchecked: (found: string, step?: string): DiagnosisFinding => ({ state: 'unchecked', subject, found, step }),
});

export interface DiagnosisWords {
	title: string;
	/** The lines below the title. */
	head: readonly string[];
	states: Readonly<Record<FindingState, string>>;
	step: string;
}

const MAXIMUM_LINE = 600;

/**
 * Returns the report as Markdown. No text in it, whoever wrote it, can add a line, a link or an image, or contain a
 * key.
 */
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
	// A backslash would cancel the one that is put before the next character.
	return oneLine(redactText(text), MAXIMUM_LINE).replaceAll(/[\\<[\]`]/g, '\\$&');
}
