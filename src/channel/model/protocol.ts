// What the report's page and the host say to each other.

export interface CheckView {
	label: string;
	verdict: 'pass' | 'fail' | 'unknown' | 'pending';
	/** The verdict in a word. */
	word: string;
	input?: string;
	reason: string;
}

export interface RawView {
	/** The fields that it shows, as they are called in the record. */
	name: string;
	text: string;
	isCut: boolean;
}

export interface ReportView {
	title: string;
	/** The verdict in one sentence. */
	sentence: string;
	tone: 'good' | 'open' | 'bad' | 'pending';
	/** Where and when. */
	details: string[];
	checks: CheckView[];
	raw: RawView[];
	canExport: boolean;
	isChecking: boolean;
}

/** What the page has from its beginning. */
export interface ReportPageData {
	/** Translations by their English texts; absent where the editor speaks English. */
	bundle?: Record<string, string>;
}

export type FromReportPage = { kind: 'page-ready' } | { kind: 'check-again' } | { kind: 'export-request' };

export type ToReportPage = { kind: 'report-set'; report: ReportView };
