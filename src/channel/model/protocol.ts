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

/** The data that the page gets when it loads. */
export interface ReportPageData {
	/** Translations by their English texts; absent where the editor speaks English. */
	bundle?: Record<string, string>;
}

export type FromReportPage = { kind: 'page-ready' } | { kind: 'check-again' } | { kind: 'export-request' };

export type ToReportPage = { kind: 'report-set'; report: ReportView };
