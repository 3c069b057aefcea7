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

export interface ReportStrings {
	checkAgain: string;
	exportReport: string;
	checksHeading: string;
	check: string;
	verdict: string;
	finding: string;
	rawHeading: string;
	/** After a piece that is longer than what is shown. */
	cut: string;
}

/** What the page has from its beginning. */
export interface ReportPageData {
	strings: ReportStrings;
}

export type FromReportPage = { kind: 'page-ready' } | { kind: 'check-again' } | { kind: 'export-request' };

export type ToReportPage = { kind: 'report-set'; report: ReportView };
