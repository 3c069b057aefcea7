// The messages between the report's page and the host.

export interface CheckView {
	label: string;
	verdict: 'pass' | 'fail' | 'unknown' | 'pending';
	/** The verdict as a word. */
	word: string;
	input?: string;
	reason: string;
}

export interface RawView {
	/** The names of the shown fields in the record. */
	name: string;
	text: string;
	isCut: boolean;
}

export interface ReportView {
	title: string;
	/** The verdict as a sentence. */
	sentence: string;
	tone: 'good' | 'open' | 'bad' | 'pending';
	/** The URL and the time of the check. */
	details: string[];
	checks: CheckView[];
	raw: RawView[];
	canExport: boolean;
	isChecking: boolean;
}

export type FromReportPage = { kind: 'page-ready' } | { kind: 'check-again' } | { kind: 'export-request' };
