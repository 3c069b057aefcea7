import { oneLine } from '../../base/plainText.ts';

const MAXIMUM_NAME = 120;

/** The text of a row: an icon, the finding, the items concerned, and what will be done about it (empty for nothing). */
export interface FindingText {
	icon: string;
	label: string;
	description?: string;
	detail: string;
}

/** An alternative for a finding. Resolving with `leave` ends the launch. */
export interface FindingFix {
	icon: string;
	title: string;
	run(): unknown;
}

/** The finding prevents the task. */
export const blocked = (label: string, detail: string): FindingText => ({ icon: 'error', label, detail });
export const warned = (label: string, detail: string): FindingText => ({ icon: 'warning', label, detail });
export const told = (label: string, detail: string): FindingText => ({ icon: 'info', label, detail });

export function shortName(text: string): string {
	return oneLine(text, MAXIMUM_NAME);
}
